import type { Database } from '../db/database.ts'
import type { Node } from '../db/nodes.ts'

/** A worker of a distributed database as the coordinator sees it. */
export type Worker = {
  name: string
  answers: boolean
  schools: number
  /** Null: it did not say. */
  bytes: number | null
}

/** None on one PostgreSQL. Each is asked by itself whether it answers, for two seconds at most, and then how large it is. */
export async function readWorkers(db: Database): Promise<Worker[]> {
  if (!db.isDistributed) return []
  const workers = (await db.nodes.look()).filter(({ isCoordinator }) => !isCoordinator)
  return Promise.all(
    workers.map(async worker => ({
      name: worker.name,
      answers: worker.answers,
      schools: worker.schools,
      bytes: worker.answers ? await readSize(db, worker).catch(() => null) : null,
    })),
  )
}

/** Of the coordinator, which is given, and of every worker that says it. */
export function sizeWith(bytes: number, workers: readonly Worker[]): number {
  return workers.reduce((sum, worker) => sum + (worker.bytes ?? 0), bytes)
}

async function readSize(db: Database, { host, port }: Node): Promise<number> {
  const [row] = await db.query<{ result: string }>(
    `select result from master_run_on_worker(array[$1::text], array[$2::int],
       array['select pg_database_size(current_database())'], false)`,
    [host, port],
  )
  const bytes = Number(row?.result)
  if (!Number.isSafeInteger(bytes)) throw new Error(`${host}:${port} said ${row?.result}`)
  return bytes
}
