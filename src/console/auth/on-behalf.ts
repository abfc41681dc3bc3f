import { AsyncLocalStorage } from 'node:async_hooks'
import type { Institute } from '../../institutes/institutes.rules.ts'
import type { ConsoleRole, Who } from '../console.rules.ts'

/**
 * The person for whom this process calls the console's API itself, without a browser, when an assistant works for them.
 * Nothing that comes over the wire can set it.
 */
export type OnBehalf = { who: Who; institute: Institute; role: ConsoleRole }

export const onBehalf = new AsyncLocalStorage<OnBehalf>()
