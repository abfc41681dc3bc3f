import type { Context } from '../platform/context.ts'
import { splitDatabaseUrl } from '../platform/db/pool.ts'
import { Database } from '../platform/db/database.ts'
import { isUnavailable, unavailable, type BursarError } from '../platform/errors.ts'

const POOL = 2
const SEARCH_MS = 2_000
const ANSWER_MS = 5_000
/** A cell that was away is left alone so long, so that others are looked at every second. */
const LEFT_ALONE_MS = 5_000

export type CellAddress = { name: string; databaseUrlSealed: Buffer }

/** How the address of a cell's database is sealed; the master key is the same in all cells. */
export function urlPurpose(cell: string): string {
  return `database of the cell ${cell}`
}

/** The databases of other cells, each opened when it is first asked. A cell that is away keeps nobody waiting for long. */
export class CellConnections {
  readonly #vault: Context['vault']
  readonly #open = new Map<string, { url: string; db: Database }>()
  readonly #away = new Map<string, { untilMs: number; error: BursarError }>()

  constructor({ vault }: Pick<Context, 'vault'>) {
    this.#vault = vault
  }

  async ask<Result>(cell: CellAddress, work: (db: Database) => Promise<Result>): Promise<Result> {
    const away = this.#away.get(cell.name)
    if (away !== undefined && performance.now() < away.untilMs) throw away.error
    const db = await this.#connect(cell)
    try {
      const result = await withinMs(ANSWER_MS, cell.name, async () => {
        await db.findPrimary(SEARCH_MS)
        return work(db)
      })
      this.#away.delete(cell.name)
      return result
    } catch (error) {
      if (isUnavailable(error))
        this.#away.set(cell.name, { untilMs: performance.now() + LEFT_ALONE_MS, error })
      throw error
    }
  }

  async #connect({ name, databaseUrlSealed }: CellAddress): Promise<Database> {
    const url = this.#vault.open(databaseUrlSealed, urlPurpose(name))
    const known = this.#open.get(name)
    if (known?.url === url) return known.db
    await known?.db.close()
    const db = openCellDatabase(url)
    this.#open.set(name, { url, db })
    return db
  }

  async close(): Promise<void> {
    const open = [...this.#open.values()]
    this.#open.clear()
    await Promise.all(
      open.map(async ({ db }) => {
        await db.abandonIfSilent()
        await db.close()
      }),
    )
  }
}

export function openCellDatabase(url: string): Database {
  const connections = splitDatabaseUrl(url).map(connectionString => ({ connectionString }))
  return new Database({ connections, poolSize: POOL, name: 'bursar cells' })
}

async function withinMs<Result>(ms: number, cell: string, act: () => Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(unavailable(`The cell ${cell} did not answer within ${ms / 1_000} s.`)),
      ms,
    )
  })
  try {
    return await Promise.race([act(), late])
  } finally {
    clearTimeout(timer)
  }
}
