import { warnAboutSecrets, ConfigError, readConfig } from './config.ts'
import { findMisspelt } from './config/settings.ts'
import { hasOperator } from '../console/auth/users.service.ts'
import { createBursar } from './bursar.ts'
import type { EmbeddedPostgres } from '../platform/embedded-postgres/supervisor.ts'
import { createLog, type Log } from '../platform/log.ts'
import { describeStart, exposureWarning } from './banner.ts'
import { keepCollectionsShort } from './heap.ts'

/** The process: reads the configuration, starts Bursar, stops it on a signal. */
let embedded: EmbeddedPostgres | null = null

/** A terminal sends Ctrl-C to npm and to us, and npm hands its own on: both are one key press. */
const SAME_KEY_PRESS_MS = 1_000

/** The first signal stops in order; a second one at once. */
function stopOnSignal(stop: () => Promise<void>, log: Log): void {
  let stoppingSinceMs: number | null = null
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stoppingSinceMs !== null) {
      if (performance.now() - stoppingSinceMs < SAME_KEY_PRESS_MS) return
      process.stderr.write('Stopped at once.\n')
      embedded?.kill()
      process.exit(130)
    }
    stoppingSinceMs = performance.now()
    process.stdout.write(`\n${signal}: finishing what is under way. Once more to stop at once.\n`)
    stop().then(
      () => {
        process.stdout.write('Stopped.\n')
        process.exit(0)
      },
      (err: unknown) => {
        log.error({ err }, 'shutdown failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
}

// A reader of our output that went away must not take us with it.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

keepCollectionsShort()

try {
  const wanted = readConfig(process.env)
  const log = createLog({ level: wanted.logLevel, format: wanted.logFormat, cell: wanted.cell })
  process.on('unhandledRejection', err => log.error({ err }, 'unhandled rejection'))
  const warnings = [...findMisspelt(process.env), ...warnAboutSecrets(wanted), exposureWarning(wanted)]
  for (const warning of warnings.filter(one => one !== null)) log.warn(warning)
  const starting = createBursar(wanted, log, server => (embedded = server))
  // The handler is set before the start has finished: a signal during it must not leave PostgreSQL behind.
  stopOnSignal(async () => (await starting).stop(), log)
  const bursar = await starting
  process.stdout.write(describeStart(bursar, await hasOperator(bursar.ctx)))
} catch (error) {
  const lines =
    error instanceof ConfigError ? error.lines : [error instanceof Error ? error.message : String(error)]
  process.stderr.write(`Bursar did not start.\n${lines.map(line => `  ${line}\n`).join('')}`)
  process.exit(1)
}
