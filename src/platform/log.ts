import { isMoving } from './errors.ts'
import { pino, stdTimeFunctions, type DestinationStream, type Logger, type LoggerOptions } from 'pino'

export type Log = Logger
export type LogFormat = 'json' | 'plain'

/**
 * Structured logs without secrets or personal data: nobody passes a body, a query or a driver's detail, and
 * errors are cut to the fields that explain a fault.
 */
export function createLog(options: {
  level: string
  format: LogFormat
  /** Stands in every line. */
  cell?: string | null
  destination?: DestinationStream
}): Log {
  const destination =
    options.destination ??
    pino.destination({
      dest: 1,
      sync: false,
      minLength: options.format === 'json' ? 12_288 : 0,
      periodicFlush: 500,
    })
  return pino(
    {
      level: options.level,
      base: typeof options.cell === 'string' ? { cell: options.cell } : null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      serializers: { err: describeError },
      hooks: { logMethod: lowerIfMoving },
    },
    options.format === 'plain' ? plainLines(destination) : destination,
  )
}

/** A school that is moving is nobody's fault, so its log lines are below the level of alarms. */
const lowerIfMoving: NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']> = function lower(
  args,
  method,
  level,
) {
  const [about] = args as unknown[]
  const error = typeof about === 'object' && about !== null && 'err' in about ? about.err : about
  Reflect.apply(level > INFO && isMoving(error) ? this.info : method, this, args)
}

const INFO = 30

function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) }
  return {
    type: error.name,
    code: 'code' in error ? error.code : undefined,
    message: error.message,
    stack: error.stack,
  }
}

/** Writes lines for a person at a terminal: time, what happened, and the fields as key=value. */
function plainLines(destination: DestinationStream): DestinationStream {
  return {
    write(line: string) {
      const { time, level, msg, ...fields } = JSON.parse(line) as Record<string, unknown>
      destination.write(
        `${String(time).slice(11, 19)} ${levelMark(level)}${plainText(String(msg), fields)}\n`,
      )
    },
  }
}

function levelMark(level: unknown): string {
  return level === 'info' || level === 'debug' ? '' : `${String(level).toUpperCase()} `
}

function plainText(message: string, fields: Record<string, unknown>): string {
  if (message === 'request') {
    const { method, route, status, ms, request_id: id } = fields
    return `${String(method)} ${String(route)} ${String(status)} ${String(ms)} ms ${String(id)}`
  }
  const rest = Object.entries(fields).map(([key, value]) =>
    key === 'err' ? `\n  ${(value as { stack?: string }).stack ?? ''}` : `${key}=${JSON.stringify(value)}`,
  )
  return [message, ...rest].join(' ')
}
