import { test, type TestContext } from 'node:test'
import { memberOf, openConsole, type OpenConsole } from '../browser/console/support.ts'
import { setStage, type Stage } from '../harness/browser.ts'
import type { Role } from '../../src/console/console.rules.ts'

/** Somebody of the office at the console of Demo School, which is empty and has no ERP. */
export type Office = OpenConsole & { stage: Stage; t: TestContext }

type Effort = { clicks: number; fields: number }

/**
 * One task of a school's office, from an empty institute to its end. What it costs the person is printed with the
 * test: presses of the mouse, and fields typed into, chosen from or given a file.
 */
export function officeTask(
  name: string,
  run: (office: Office) => Promise<void>,
  { role = 'finance', env = {} }: { role?: Role; env?: Record<string, string> } = {},
): void {
  test(name, async t => {
    const stage = await setStage(t, env)
    if (stage === null) return
    const office = await openConsole(stage, await memberOf(stage, role))
    const effort = await countEffort(office)
    await run({ ...office, stage, t })
    t.diagnostic(`${name}: ${effort.clicks} clicks, ${effort.fields} fields`)
  })
}

/** Counts in every page of the context, so a receipt that opens in a tab of its own is among it. */
async function countEffort({ context }: OpenConsole): Promise<Effort> {
  const effort: Effort = { clicks: 0, fields: 0 }
  await context.exposeFunction('__countEffort', (kind: keyof Effort) => void effort[kind]++)
  await context.addInitScript(() => {
    const { __countEffort: count } = globalThis as unknown as {
      __countEffort: (kind: 'clicks' | 'fields') => void
    }
    let last: EventTarget | null = null
    addEventListener('pointerdown', () => count('clicks'), true)
    addEventListener(
      'input',
      event => {
        // Every letter is an input; a field counts once until another one is filled.
        const isOfClick =
          event.target instanceof HTMLInputElement && /^(checkbox|radio)$/.test(event.target.type)
        if (event.target !== last && !isOfClick) count('fields')
        last = event.target
      },
      true,
    )
  })
  return effort
}
