import pg from 'pg'

/** What a process sent to the database. */
export type SentStatements = {
  statements: number
  /** A statement outside a transaction is one of its own, so it is a commit too, also when it only reads. */
  commits: number
  /** Commits that wrote and were waited for until they stood on disk. */
  flushes: number
}

export const NOTHING_SENT: SentStatements = { statements: 0, commits: 0, flushes: 0 }

type Query = (this: pg.Client, ...args: unknown[]) => unknown

/** A lock of a row is written too; a notification by itself is not waited for. */
const WRITES = /\b(insert|update|delete|merge)\b|\bfor (no key )?update\b|\bfor (key )?share\b/
const WAITS_FOR_NOTHING = /set_config\('synchronous_commit', 'off'|set local synchronous_commit = off/

/**
 * Counts what this process sends from now on; `begin` and `commit` are no statements of their own. Texts that `isIdle`
 * knows are sent whether or not anybody does anything, and are left out.
 */
export function countStatements(isIdle: (text: string) => boolean = () => false): SentStatements {
  const sent: SentStatements = { ...NOTHING_SENT }
  const transactions = new WeakMap<pg.Client, { writes: boolean; isWaitedFor: boolean }>()
  const client = pg.Client.prototype as unknown as { query: Query }
  const { query } = client
  client.query = function (...args) {
    const [config] = args as [string | { text: string }]
    const text = typeof config === 'string' ? config : config.text
    if (!isIdle(text)) {
      const writes = WRITES.test(text)
      const isWaitedFor = !WAITS_FOR_NOTHING.test(text)
      const transaction = transactions.get(this)
      if (text.startsWith('begin')) transactions.set(this, { writes: false, isWaitedFor })
      else if (text === 'commit' || text === 'rollback') {
        if (text === 'commit') sent.commits++
        if (text === 'commit' && transaction?.writes === true && transaction.isWaitedFor) sent.flushes++
        transactions.delete(this)
      } else {
        sent.statements++
        if (transaction === undefined) sent.commits++
        else transaction.writes ||= writes
        if (transaction === undefined && writes && isWaitedFor) sent.flushes++
      }
    }
    return Reflect.apply(query, this, args)
  }
  return sent
}

/** What was sent since then. */
export function sentSince(sent: SentStatements, before: SentStatements): SentStatements {
  return {
    statements: sent.statements - before.statements,
    commits: sent.commits - before.commits,
    flushes: sent.flushes - before.flushes,
  }
}
