import { subscribe } from 'node:diagnostics_channel'
import { STATEMENTS } from '../../src/platform/db/client.ts'
import { problemsOf } from './check.ts'
import { reachOf, workProblem } from './over-all.ts'
import { readSchema } from './schema.ts'

const SOURCE = new URL('../../src/', import.meta.url).href
/** What carries a statement for the function that sends it: the database client, and the definitions of lists. */
const BETWEEN = ['platform/db/', 'http/lists/'].map(folder => new URL(folder, SOURCE).href)

let watching: Promise<void> | null = null

/** From now on a statement of the product that is not of one institute fails the test that sent it. */
export function watchStatements(): Promise<void> {
  return (watching ??= watch())
}

async function watch(): Promise<void> {
  const schema = await readSchema()
  /** Texts that anybody may send, and for the rest who has sent them: another sender of the same may have a smaller reach. */
  const checked = new Set<string>()
  subscribe(STATEMENTS, message => {
    const text = String(message)
    if (checked.has(text)) return
    const sender = findSender()
    if (sender === null || checked.has(`${sender} ${text}`)) return
    const reach = reachOf(sender)
    checked.add(reach === 'one' ? text : `${sender} ${text}`)
    const problems = [...problemsOf(text, schema, reach), workProblem(sender, text) ?? []].flat()
    // Thrown here it is an uncaught exception, which the test runner counts as a failure of the test under way.
    if (problems.length > 0) throw new Error(`${sender}: ${problems.join('; ')}\n${text}`)
  })
}

/** Of the statement that is just announced: `orders/orders.store.ts lockExpired`; null when it is a test that sends it. */
export function findSender(): string | null {
  const { stack = '' } = new Error('only its stack counts')
  let isBetween = false
  for (const [, name = '', file = ''] of stack.matchAll(FRAME)) {
    if (BETWEEN.some(folder => file.startsWith(folder))) isBetween = true
    else if (isBetween)
      return file.startsWith(SOURCE) ? `${file.slice(SOURCE.length)} ${name.split('.').at(-1)}` : null
  }
  return null
}

const FRAME = /^ {4}at (?:async )?(?:(\S+) (?:\[as \S+\] )?\()?(file:[^?:]+\.ts)/gm
