import type { ClientConfig } from 'pg'
import type { Queryable } from '../../platform/db/database.ts'
import { readTables, type Table } from './catalogue.store.ts'
import { connect, type Connection } from './connection.ts'
import { kindOf, problemOf } from './tables.rules.ts'

/** A cell as a move reaches it. */
export type Cell = { name: string; config: ClientConfig }

/** Both databases, open for one run of a move. */
export type Sides = {
  source: Connection
  target: Connection
  /** More connections, for what is done while the school is paused. */
  comparing: { source: readonly Queryable[]; target: readonly Queryable[] }
  tables: readonly Table[]
  replicated: readonly Table[]
  /** As `answerWithin` of each connection. */
  answerWithin(ms: number): void
  close(): Promise<void>
}

/** A move was refused or stopped; the text tells an operator why. */
export class MoveStopped extends Error {
  override readonly name = 'MoveStopped'
}

const AT_ONCE = 3

export async function openSides({ source, target }: { source: Cell; target: Cell }): Promise<Sides> {
  const open: Connection[] = []
  const add = async ({ name, config }: Cell): Promise<Connection> => {
    const connection = await connect(config, name)
    open.push(connection)
    return connection
  }
  const close = async (): Promise<void> => {
    await Promise.all(open.map(connection => connection.end()))
  }
  try {
    const several = (cell: Cell): Promise<Connection[]> =>
      Promise.all(Array.from({ length: AT_ONCE }, () => add(cell)))
    const [one, other] = [await several(source), await several(target)]
    const tables = await readTables(one[0]!)
    const problems = tables.flatMap(table => problemOf(table) ?? [])
    if (problems.length > 0) throw new MoveStopped(problems.join('\n'))
    return {
      source: one[0]!,
      target: other[0]!,
      comparing: { source: one, target: other },
      tables,
      replicated: tables.filter(table => kindOf(table) === 'replicated'),
      answerWithin(ms) {
        for (const connection of open) connection.answerWithin(ms)
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
