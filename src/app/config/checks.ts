import { relative } from 'node:path'
import type { Config } from '../config.ts'
import { databaseUrlProblem } from '../../platform/db/database-url.ts'
import { PROVIDERS } from '../../providers/catalogue.ts'
import { GROUPS } from './settings.ts'
import { addAll } from '../../platform/lists.ts'

/** What is wrong with settings that are each right by themselves, one sentence each. */
export function checkTogether(config: Config, isSet: (name: string) => boolean): string[] {
  return [
    ...checkGroups(isSet),
    ...checkDatabase(config),
    ...checkBackup(config),
    ...checkRetention(config),
    ...checkProviderKeys(config),
    ...(config.mode === 'live' ? checkLive(config, isSet) : []),
  ]
}

function checkGroups(isSet: (name: string) => boolean): string[] {
  return GROUPS.filter(names => names.some(isSet) && !names.every(isSet)).map(
    names => `${new Intl.ListFormat('en-GB').format(names)} go together; set all or none.`,
  )
}

function checkDatabase({ databaseUrl, poolerUrl }: Config): string[] {
  if (databaseUrl === null && poolerUrl !== null)
    return ['DATABASE_POOLER_URL needs DATABASE_URL too: some work needs connections to the server itself.']
  const problem = databaseUrl === null ? null : databaseUrlProblem(databaseUrl)
  return problem === null ? [] : [problem]
}

function checkBackup({ backup, dataDir, databaseUrl }: Config): string[] {
  if (backup === null) return []
  if (databaseUrl !== null)
    return ['BACKUP_DIR is for the embedded server; back up the server of DATABASE_URL with its own tools.']
  return relative(dataDir, backup.folder).startsWith('..')
    ? []
    : ['BACKUP_DIR must not be inside DATA_DIR: what destroys one would destroy the other.']
}

function checkRetention({ retention, dataDir }: Config): string[] {
  const { archiveDir, events, deliveries } = retention
  const problems: string[] = []
  if (archiveDir !== null && !relative(dataDir, archiveDir).startsWith('..'))
    problems.push('ARCHIVE_DIR must not be inside DATA_DIR: what destroys one would destroy the other.')
  if (events < deliveries)
    problems.push(
      'KEEP_EVENTS_MONTHS must not be less than KEEP_DELIVERIES_MONTHS: a delivery sends what its event says.',
    )
  return problems
}

/** A sandbox that moved money, or a live school whose fees are play money, would be found out by parents. */
function checkProviderKeys({ mode, providers }: Config): string[] {
  return [...providers].flatMap(([name, values]) => {
    const entry = PROVIDERS[name]
    if (entry === undefined) return []
    const { field, key } = entry.describe(values)
    const setting = entry.settings.find(one => one.field === field)?.env ?? field
    if (key === null) return [`${setting} is neither a test key nor a live key of ${entry.title}.`]
    if (key === 'live' && mode === 'sandbox')
      return [
        `${setting} is a live key of ${entry.title}, and a sandbox must not move real money: use a test key, or set BURSAR_MODE=live.`,
      ]
    if (key === 'test' && mode === 'live')
      return [
        `${setting} is a test key of ${entry.title}, with which no money arrives: live mode needs a live key.`,
      ]
    return []
  })
}

function checkLive(config: Config, isSet: (name: string) => boolean): string[] {
  const problems: string[] = []
  if (!isSet('MASTER_KEY'))
    problems.push('Live mode needs MASTER_KEY; `openssl rand -hex 32` makes one. Keep it safe.')
  if (config.databaseUrl === null) addAll(problems, checkLiveEmbedded(config, isSet))
  if (!isSet('PUBLIC_URL'))
    problems.push("Live mode needs PUBLIC_URL, the https address that parents' browsers reach.")
  else if (!config.publicUrl.startsWith('https://'))
    problems.push('In live mode PUBLIC_URL must begin with https://.')
  if (!isSet('TLS_CERT_FILE') && !isSet('TRUST_PROXY')) {
    problems.push(
      'Live mode serves https: set TLS_CERT_FILE and TLS_KEY_FILE, or TRUST_PROXY for a proxy that ends TLS.',
    )
  }
  return problems
}

/** A small school on one machine. Nothing about real money is left to a default folder. */
function checkLiveEmbedded({ role }: Config, isSet: (name: string) => boolean): string[] {
  const problems: string[] = []
  if (!isSet('DATA_DIR'))
    problems.push('Live mode needs DATABASE_URL, a PostgreSQL 18 of yours, or DATA_DIR for the embedded one.')
  else if (!isSet('BACKUP_DIR'))
    problems.push(
      'Live mode on the embedded server needs BACKUP_DIR, a folder on another disk for daily backups.',
    )
  if (role !== 'all')
    problems.push('The embedded server serves one process: set DATABASE_URL, or leave BURSAR_ROLE at all.')
  return problems
}

const SHORTEST_SECRET = 16

/** What works and is not safe: a forged report of a payment needs nothing but the secret of the provider's webhook. */
export function warnAboutSecrets({ providers }: Config): string[] {
  return [...providers].flatMap(([name, values]) =>
    (PROVIDERS[name]?.settings ?? [])
      .filter(({ field }) => field === 'webhook_secret' && (values[field]?.length ?? 0) < SHORTEST_SECRET)
      .map(
        ({ env }) =>
          `${env} has less than ${SHORTEST_SECRET} characters: somebody who sees one callback can find it by trying, and then report payments that never were. Choose a long random one.`,
      ),
  )
}
