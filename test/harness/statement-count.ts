import pg from 'pg'

/** What a process sent to the database. A statement outside a transaction is one of its own, so it is a commit too. */
export type SentStatements = { statements: number; commits: number }

type Query = (this: pg.Client, ...args: unknown[]) => unknown

/** Counts what this process sends from now on; `begin` and `commit` are no statements of their own. */
export function countStatements(onStatement: (text: string) => void = () => {}): SentStatements {
  const sent: SentStatements = { statements: 0, commits: 0 }
  const inTransaction = new WeakSet<pg.Client>()
  const client = pg.Client.prototype as unknown as { query: Query }
  const { query } = client
  client.query = function (...args) {
    const [config] = args as [string | { text: string }]
    const text = typeof config === 'string' ? config : config.text
    const isEnd = text === 'commit' || text === 'rollback'
    if (text.startsWith('begin')) inTransaction.add(this)
    else if (isEnd) inTransaction.delete(this)
    else {
      sent.statements++
      onStatement(text)
    }
    if (text !== 'rollback' && !inTransaction.has(this)) sent.commits++
    return Reflect.apply(query, this, args)
  }
  return sent
}
