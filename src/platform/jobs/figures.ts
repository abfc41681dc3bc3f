import { isMoving } from '../errors.ts'
import type { TaskEnd } from './job.ts'

/** How a job fares in this process, since its start and in real time. */
export type JobFigures = {
  /** When it last looked for due rows and found the database well. */
  lastRunAt: Date | null
  /** How long the last row or batch took that had something to do. */
  lastDurationMs: number | null
  rows: number
  failures: number
  failuresInARow: number
  lastFailure: { at: Date; message: string } | null
}

/** Two streaks, because a run that finds nothing due says nothing about the rows that failed before. */
export class JobRecord {
  #lastRunAt: Date | null = null
  #lastDurationMs: number | null = null
  #rows = 0
  #failures = 0
  #failedTasks = 0
  #failedRuns = 0
  #lastFailure: JobFigures['lastFailure'] = null
  #lastError: unknown
  readonly #onFailure: (error: unknown, failuresInARow: number) => void

  constructor(onFailure: (error: unknown, failuresInARow: number) => void) {
    this.#onFailure = onFailure
  }

  get figures(): JobFigures {
    return {
      lastRunAt: this.#lastRunAt,
      lastDurationMs: this.#lastDurationMs,
      rows: this.#rows,
      failures: this.#failures,
      failuresInARow: Math.max(this.#failedTasks, this.#failedRuns),
      lastFailure: this.#lastFailure,
    }
  }

  get failedRuns(): number {
    return this.#failedRuns
  }

  endTask(end: TaskEnd): void {
    // Another cell does the work of a school that is moving.
    if ('error' in end && isMoving(end.error)) return
    if ('error' in end) {
      this.#failedTasks++
      this.#noteFailure(end.error)
      this.#lastDurationMs = end.durationMs
      return
    }
    this.#failedTasks = 0
    this.#rows += end.rows
    if (end.rows > 0) this.#lastDurationMs = end.durationMs
  }

  endRun(): void {
    this.#failedRuns = 0
    this.#lastRunAt = new Date()
  }

  failRun(error: unknown): void {
    if (isMoving(error)) return
    this.#failedRuns++
    this.#noteFailure(error)
  }

  #noteFailure(error: unknown): void {
    // A batch that failed ends its task, and then its run by the same error.
    if (error === this.#lastError) return
    this.#lastError = error
    this.#failures++
    this.#lastFailure = { at: new Date(), message: error instanceof Error ? error.message : String(error) }
    this.#onFailure(error, this.figures.failuresInARow)
  }
}
