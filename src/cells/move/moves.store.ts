import type { Queryable } from '../../platform/db/database.ts'
import type { MoveState } from './move.rules.ts'

export type Figures = {
  tables?: number
  rows?: number
  copySeconds?: number
  pauseMs?: number
  /** The three parts of the pause: waiting for the last rows, comparing, and the switch. */
  drainMs?: number
  compareMs?: number
  switchMs?: number
  people?: number
  differences?: number
}

export type Move = MoveState & {
  id: string
  schoolId: number
  code: string
  fromCell: string
  toCell: string
  figures: Figures
  problem: string | null
  startedAt: Date
  finishedAt: Date | null
  keptUntil: Date | null
  forgottenAt: Date | null
}

/** Where the steps of moves are recorded: the directory's cell. */
export type MoveLog = {
  /** The move of this school that has not ended. */
  findOpen(code: string): Promise<Move | null>
  /** Fails if the school has an open one. */
  begin(move: Pick<Move, 'id' | 'schoolId' | 'code' | 'fromCell' | 'toCell' | 'step'>): Promise<Move>
  record(move: Move): Promise<void>
  /** All that have not ended, the oldest first. */
  listOpen(): Promise<Move[]>
  /** Finished moves whose old rows are still kept. */
  listKept(): Promise<Move[]>
}

const COLUMNS = `id, school_id as "schoolId", code, from_cell as "fromCell", to_cell as "toCell", direction, step,
  is_step_done as "isStepDone", figures, problem, started_at as "startedAt", finished_at as "finishedAt", kept_until as "keptUntil",
  forgotten_at as "forgottenAt"`

export function moveLog(db: Queryable): MoveLog {
  return {
    async findOpen(code) {
      const [row] = await db.query<Move>(
        `select ${COLUMNS} from school_moves where code = $1 and finished_at is null`,
        [code],
      )
      return row ?? null
    },
    async begin({ id, schoolId, code, fromCell, toCell, step }) {
      const [row] = await db.query<Move>(
        `insert into school_moves (id, school_id, code, from_cell, to_cell, step, is_step_done)
         values ($1, $2, $3, $4, $5, $6, false) returning ${COLUMNS}`,
        [id, schoolId, code, fromCell, toCell, step],
      )
      if (row === undefined) throw new Error('the move was not recorded')
      return row
    },
    async record(move) {
      await db.query(
        `update school_moves set direction = $2, step = $3, is_step_done = $4, figures = $5, problem = $6, finished_at = $7,
           kept_until = $8, forgotten_at = $9, changed_at = now(),
           steps = steps || jsonb_build_array(jsonb_build_object('step', $3::text, 'isDone', $4::boolean, 'at', clock_timestamp()))
         where id = $1`,
        [
          move.id,
          move.direction,
          move.step,
          move.isStepDone,
          JSON.stringify(move.figures),
          move.problem,
          move.finishedAt,
          move.keptUntil,
          move.forgottenAt,
        ],
      )
    },
    async listOpen() {
      return db.query<Move>(`select ${COLUMNS} from school_moves where finished_at is null order by id`)
    },
    async listKept() {
      return db.query<Move>(
        `select ${COLUMNS} from school_moves where kept_until is not null and forgotten_at is null order by id`,
      )
    },
  }
}
