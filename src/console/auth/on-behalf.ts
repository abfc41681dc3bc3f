import { AsyncLocalStorage } from 'node:async_hooks'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { ConsoleRole, Who } from '../console.rules.ts'

/**
 * For whom this process calls the console's API itself, without a browser: whoever an assistant works for. Nothing that
 * comes over the wire can set it.
 */
export type OnBehalf = { who: Who; institute: Institute; role: ConsoleRole }

export const onBehalf = new AsyncLocalStorage<OnBehalf>()
