import type { Config } from './config.ts'
import type { Bursar } from './bursar.ts'
import { isLoopback } from '../http/server.ts'
import { demoPeople, sandboxInstitutes } from '../sandbox/seed/seed.service.ts'
import { addAll } from '../platform/lists.ts'

/** Its keys and its people are published, and everybody who reaches it can use them. */
export function exposureWarning({ mode, role, host }: Config): string | null {
  if (mode === 'live' || role === 'worker' || isLoopback(host)) return null
  return `This sandbox listens on ${host}, beyond this machine: everybody who can reach it can use its published test keys and sign in to its console. Set HOST=127.0.0.1, or let a firewall decide who gets through.`
}

/** What a person sees when it has started: where it is, how to get in, what to do next. */
export function describeStart({ config, embedded, migration }: Bursar, hasOperator: boolean): string {
  const port = config.role === 'worker' ? config.workerPort : config.port
  const where = `${config.tls === null ? 'http' : 'https'}://${config.host}:${port}`
  const database =
    embedded === null
      ? 'your PostgreSQL (DATABASE_URL)'
      : `embedded PostgreSQL in ${config.dataDir} (${embedded.how})`
  const rows: [string, string][] = [
    ['Mode', config.mode === 'sandbox' ? 'sandbox, no real money moves' : 'live'],
    ...(config.role === 'worker'
      ? ([['Health', `${where}/readyz, /healthz and /metrics`]] as [string, string][])
      : ([
          ['Listening', where],
          ['Console', `${config.publicUrl}/console`],
          ['Reference', `${config.publicUrl}/docs`],
        ] as [string, string][])),
    ['Database', database],
    ...backupRow(config),
    ...(migration.applied.length === 0
      ? []
      : ([['Migrated', migration.applied.join(', ')]] as [string, string][])),
  ]
  const lines = ['', `Bursar is running${config.role === 'all' ? '' : ` as ${config.role}`}.`, '']
  const warning = exposureWarning(config)
  if (warning !== null) lines.push('!'.repeat(80), `WARNING: ${warning}`, '!'.repeat(80), '')
  addAll(
    lines,
    rows.map(([name, value]) => `  ${name.padEnd(11)}${value}`),
  )
  if (config.mode === 'sandbox' && config.role !== 'worker') addAll(lines, sandboxLines(config))
  if (!hasOperator && config.mode === 'live' && config.role !== 'worker')
    lines.push(
      '',
      'Nobody can sign in to the console as its operator yet. Make one:',
      '  npx bursar users create you@example.in --name "Your Name" --operator',
    )
  lines.push('', 'Ctrl-C stops it.', '')
  return lines.join('\n')
}

function backupRow({ backup }: Config): [string, string][] {
  if (backup === null) return []
  const { hour, minute } = backup.at
  const at = [hour, minute].map(part => String(part).padStart(2, '0')).join(':')
  return [['Backups', `daily at ${at} IST into ${backup.folder}, ${backup.keep} kept`]]
}

function sandboxLines(config: Config): string[] {
  return [
    '',
    'Test credentials (API key : secret)',
    ...sandboxInstitutes(config.hasDemo).map(
      ({ name, key }) => `  ${name.padEnd(16)}${key.keyId} : ${key.secret}`,
    ),
    '',
    `Console people (one click each at ${config.publicUrl}/console)`,
    ...demoPeople(config.hasDemo).map(({ email, name }) => `  ${name.padEnd(26)}${email}`),
    ...(config.hasDemo ? lookFirst(config) : []),
    '',
    'Next: create a pay order',
    `  curl -u key_test_demo:secret_test_demo ${config.publicUrl}/api/v1/integrations/pay/orders \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '{"name":"Asha Rao","phone":"9876543210","email":"asha@example.in","details":[{"component_type":"TUITION_FEE","amount":45000}]}'`,
  ]
}

function lookFirst({ publicUrl }: Config): string[] {
  return [
    '',
    'Look first: Sunrise School, 312 students and two school years of payments',
    `  ${publicUrl}/console  sign in as its bursar: Home, a bounced instalment, a webhook that fails`,
    `  ${publicUrl}/p/sunrise-school/annual-day  what a parent pays on`,
  ]
}
