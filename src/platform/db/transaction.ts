import type pg from 'pg'

/** Something that runs SQL: the database itself, or a transaction opened by a service and passed down. */
export type Queryable = {
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

/** Inside a transaction. The brand keeps a store that must be atomic from being given the bare database. */
export type Transaction = Queryable & {
  readonly inTransaction: true
  /** Tells workers after the commit that there is something to do. */
  notify(channel: WakeupChannel): void
  /** Whoever in this process takes over what is due on a channel; null if it is to be queued for all. */
  takerOf<Work>(channel: WakeupChannel): Take<Work> | null
  /** Runs once it is committed, and not if it is rolled back. */
  afterCommit(act: () => void): void
  /** A statement that leaves together with the commit: what it locks is held no longer than the database itself takes. */
  endWith(text: string, values: readonly unknown[]): void
}

/** By which workers, in this process or another, are told that there is something to do. */
export type WakeupChannel = 'deliveries' | 'imports' | 'messages'

/** Takes work over in the transaction that makes it; answers how much of it is left for others to find. */
export type Take<Work> = (tx: Transaction, work: Work) => Promise<number>
