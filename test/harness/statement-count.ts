import pg from 'pg'

/** What a process sent to the database. A statement outside a transaction is one of its own, so it is a commit too. */
export type SentStatements = { statements: number; commits: number }

type Query = (this: pg.Client, ...args: unknown[]) => unknown

/**
 * Counts what this process sends from now on; `begin` and `commit` are no statements of their own. Texts that `isIdle`
 * knows are sent whether or not anybody does anything, and are left out.
 */
export function countStatements(isIdle: (text: string) => boolean = () => false): SentStatements {
  const sent: SentStatements = { statements: 0, commits: 0 }
  const inTransaction = new WeakSet<pg.Client>()
  const client = pg.Client.prototype as unknown as { query: Query }
  const { query } = client
  client.query = function (...args) {
    const [config] = args as [string | { text: string }]
    const text = typeof config === 'string' ? config : config.text
    if (!isIdle(text)) {
      const isEnd = text === 'commit' || text === 'rollback'
      if (text.startsWith('begin')) inTransaction.add(this)
      else if (isEnd) inTransaction.delete(this)
      else sent.statements++
      if (text !== 'rollback' && !inTransaction.has(this)) sent.commits++
    }
    return Reflect.apply(query, this, args)
  }
  return sent
}
