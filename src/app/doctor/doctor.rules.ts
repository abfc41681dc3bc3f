import { dayOf, daysBetween, formatDay, formatMoment } from '../../platform/calendar.ts'

/** What was looked at, how it stands, and what to do about it. */
export type Finding = { subject: string; verdict: 'ok' | 'warning' | 'problem'; text: string }

type Judgement = Omit<Finding, 'subject'>

export const ok = (text: string): Judgement => ({ verdict: 'ok', text })
export const warning = (text: string): Judgement => ({ verdict: 'warning', text })
export const problem = (text: string): Judgement => ({ verdict: 'problem', text })

export const MAX_SKEW_MS = 1_000
const RENEW_WITHIN_DAYS = 14
const LEAST_VERSION = 180_000
/** Connections outside the pool: listeners, the pipelined reader, the semaphore. */
const OWN_CONNECTIONS = 5

/** Positive: ours is ahead. */
export function judgeClock(skewMs: number): Judgement {
  const seconds = (Math.abs(skewMs) / 1_000).toFixed(1)
  if (Math.abs(skewMs) <= MAX_SKEW_MS) return ok(`within ${seconds} s of the database's`)
  return problem(
    `${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the database's: let both machines follow a time server`,
  )
}

export type ServerSettings = {
  versionNumber: number
  fsync: string
  fullPageWrites: string
  synchronousCommit: string
  maxConnections: number
  autovacuum: string
  dataChecksums: string
}

/** A payment that was acknowledged must survive a power cut. */
export function judgeServer(settings: ServerSettings, poolSize: number): Judgement {
  const {
    versionNumber,
    fsync,
    fullPageWrites,
    synchronousCommit,
    maxConnections,
    autovacuum,
    dataChecksums,
  } = settings
  const major = Math.floor(versionNumber / 10_000)
  if (versionNumber < LEAST_VERSION) return problem(`is PostgreSQL ${major}: Bursar needs 18 or later`)
  const off = Object.entries({
    fsync,
    full_page_writes: fullPageWrites,
    synchronous_commit: synchronousCommit,
  })
    .filter(([, value]) => value === 'off')
    .map(([name]) => name)
  if (off.length > 0)
    return problem(`may lose acknowledged payments in a power cut: switch on ${off.join(', ')}`)
  if (maxConnections < poolSize + OWN_CONNECTIONS)
    return problem(
      `allows ${maxConnections} connections, and one process of Bursar uses up to ${poolSize + OWN_CONNECTIONS}: raise max_connections or lower DB_POOL_SIZE`,
    )
  if (autovacuum === 'off')
    return problem('never cleans its tables up and gets slower by the day: switch on autovacuum')
  if (dataChecksums === 'off')
    return warning(
      'would not notice a disk that damages pages: make it with checksums (`initdb --data-checksums`)',
    )
  return ok(`PostgreSQL ${major}, ${maxConnections} connections, keeps what it has acknowledged`)
}

/** The certificate that others see at the public address; null: it answers plain http. */
export type Certificate = { validTo: Date; problem: string | null }

export function judgeCertificate(certificate: Certificate | null, now: Date, isLive: boolean): Judgement {
  if (certificate === null)
    return isLive ? problem('is plain http: payers need https') : ok('plain http, as a sandbox may')
  if (certificate.problem !== null) return problem(`is not trusted by browsers: ${certificate.problem}`)
  const { validTo } = certificate
  if (validTo < now) return problem('has expired: renew it')
  const until = formatDay(dayOf(validTo))
  if (daysBetween(dayOf(now), dayOf(validTo)) < RENEW_WITHIN_DAYS)
    return warning(`expires on ${until}: renew it, best by a program`)
  return ok(`valid until ${until}`)
}

/** Null: the installation stands by itself. */
export function judgeCells(found: { cells: number; problems: readonly string[] } | null): Judgement {
  if (found === null) return ok('none: this installation stands by itself')
  if (found.problems.length > 0) return problem(found.problems.join('; '))
  if (found.cells === 0) return ok('this is one of several; another keeps their directory')
  return ok(`${found.cells}; the directory and the maps of the proxies are as they are`)
}

export function judgeBackup(
  backup: { last: Date | null; isLate: boolean } | null,
  hasOwnServer: boolean,
): Judgement {
  if (!hasOwnServer)
    return warning('are made by the server of DATABASE_URL: see that they are, and that one was restored')
  if (backup === null) return warning('are not made: set BACKUP_DIR to a folder on another disk')
  if (backup.last === null) return problem('are set up, but none was made yet: start Bursar and look again')
  const made = formatMoment(backup.last)
  if (backup.isLate) return problem(`are late: the last one is of ${made}, see the log for why`)
  return ok(`the last one is of ${made}; \`bursar backup verify\` restores it on trial`)
}

export type ArchiveState = {
  folder: string | null
  /** Why the folder cannot be written to. */
  flaw: string | null
  /** Months that could not be archived, in words. */
  stuck: string | null
}

export function judgeArchive({ folder, flaw, stuck }: ArchiveState): Judgement {
  if (flaw !== null) return problem(`ARCHIVE_DIR ${folder} cannot be written to: ${flaw}`)
  if (stuck !== null) return problem(stuck)
  if (folder === null) return ok('none: events stay in the database (ARCHIVE_DIR)')
  return ok(`old months of logs go to ${folder}`)
}

const RESTORE_EVERY_DAYS = 90

/** A backup that nobody has restored is a hope. */
export function judgeRestore(triedAt: Date | null, now: Date, hasOwnServer: boolean): Judgement {
  if (!hasOwnServer)
    return warning('of the server of DATABASE_URL cannot be seen from here: try one every three months')
  if (triedAt === null)
    return warning('was never tried: `bursar backup verify FILE` does it, and harms nothing')
  const triedOn = dayOf(triedAt)
  const tried = formatDay(triedOn)
  if (daysBetween(triedOn, dayOf(now)) > RESTORE_EVERY_DAYS)
    return warning(`was last tried on ${tried}: \`bursar backup verify FILE\` does it, and harms nothing`)
  return ok(`tried on ${tried}, every row was read`)
}

export function judgeSms(templates: {
  isSet: boolean
  unknown: readonly string[]
  /** Texts of other languages that leave in English. */
  inEnglish: readonly string[]
  /** How many have a template in no language. */
  general: number
}): Judgement | null {
  const { isSet, unknown, inEnglish, general } = templates
  if (!isSet) return null
  if (unknown.length > 0) return problem(`SMS_TEMPLATE_IDS names no text of ours: ${listed(unknown)}`)
  if (inEnglish.length > 0)
    return warning(
      `no DLT template for ${listed(inEnglish)}: these leave in English. Register them, or leave it so`,
    )
  return general === 0
    ? ok('SMS set up, every text with its own DLT template')
    : ok(
        `SMS set up; ${general} texts have no DLT template of their own and leave under the general one, SMS_TEMPLATE_ID, which has to fit them`,
      )
}

export type LenderState = {
  title: string
  isPaused: boolean
  flaw: string | null
  institutes: number
  people: number | null
}

export function judgeLenders(lenders: readonly LenderState[], isLive: boolean): Judgement {
  if (lenders.length === 0)
    return ok(isLive ? 'none: families are offered no loans' : "the sandbox's lender alone")
  const away = lenders.find(({ flaw }) => flaw !== null)
  if (away !== undefined) return problem(`${away.title}: ${away.flaw}`)
  const alone = lenders.find(({ people }) => people === 0)
  if (alone !== undefined)
    return warning(
      `nobody works at the desk of ${alone.title}: \`bursar users create EMAIL --name NAME --lender CODE\``,
    )
  const paused = lenders.find(({ isPaused, institutes }) => isPaused && institutes > 0)
  if (paused !== undefined) return warning(`${paused.title} is paused, and institutes use it`)
  return ok(`${listed(lenders.map(({ title }) => title))}, reached`)
}

export type People = {
  institutes: number
  operators: number
  withoutKey: readonly string[]
  withoutPeople: readonly string[]
}

export function judgePeople({ institutes, operators, withoutKey, withoutPeople }: People): Judgement {
  if (institutes === 0) return problem('there is none: `bursar institutes create` makes the first')
  if (operators === 0)
    return warning('nobody may sign in as operator: `bursar users create --operator` makes one')
  if (withoutPeople.length > 0)
    return warning(`nobody can sign in for ${listed(withoutPeople)}: \`bursar users create\``)
  if (withoutKey.length > 0)
    return warning(`no API key for ${listed(withoutKey)}: \`bursar keys create\` if an ERP is to connect`)
  return ok(`${institutes}, each with people and a key`)
}

const MAX_LISTED = 5

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED).join(', ')
  return names.length > MAX_LISTED ? `${shown} and ${names.length - MAX_LISTED} more` : shown
}

/** Unfinished payments, refunds and mandates of an account of the installation. */
export type UnfinishedWork = { accountId: string; payments: number; refunds: number; mandates: number }

/** An account of an institute, as `bursar doctor` finds it. */
export type ExaminedAccount = {
  institute: string
  title: string
  isPaused: boolean
  isTestKey: boolean
  /** What the provider does not accept; null: nothing, or it was not asked. */
  flaw: string | null
  /** Set up a day ago or longer, and no callback has come. */
  isSilent: boolean
}

type InstallationFacts = {
  /** What cannot be finished, because its account is not configured any more. */
  stranded: readonly UnfinishedWork[]
  accounts: readonly ExaminedAccount[]
  /** Institutes in which no branch can take a payment. */
  unpayable: readonly string[]
  /** Reports that belong to no institute. */
  unmatched: number
  hasInstallation: boolean
  isLive: boolean
}

/** The gravest first: nobody can pay, a key that is refused, then what only delays or waits for a person. */
export function judgeAccounts({
  stranded,
  accounts,
  unpayable,
  unmatched,
  hasInstallation,
  isLive,
}: InstallationFacts): Omit<Finding, 'subject'> {
  const refused = accounts.filter(({ flaw }) => flaw !== null)
  if (stranded.length > 0) return problem(describeStranded(stranded))
  if (refused.length > 0) return problem(refused.map(one => `${named([one])}: ${one.flaw}`).join(' '))
  if (isLive && !hasInstallation && accounts.length === 0) return problem('none is set up: nobody can pay')
  if (isLive && unpayable.length > 0)
    return problem(
      `nobody can pay at ${unpayable.join(', ')}: add an account under Settings or by \`bursar providers add\`, or set the keys of the installation`,
    )
  const testKeys = accounts.filter(({ isTestKey, isPaused }) => isLive && isTestKey && !isPaused)
  const silent = accounts.filter(({ isSilent, isPaused }) => isSilent && !isPaused)
  const warnings = [
    ...(testKeys.length > 0 ? [`${named(testKeys)} has a test key, so parents cannot pay through it`] : []),
    ...(silent.length > 0
      ? [`no callback ever came for ${named(silent)}: enter its address at the provider`]
      : []),
    ...(unmatched > 0
      ? [`${unmatched} reports of providers belong to no institute: see the operator's page Providers`]
      : []),
  ]
  if (warnings.length > 0) return warning(warnings.join('; '))
  return ok(accounts.length === 0 ? 'no institute has its own' : `${accounts.length} set up, all accepted`)
}

export function describeStranded(stranded: readonly UnfinishedWork[]): string {
  const what = stranded.map(({ accountId, payments, refunds, mandates }) => {
    const counts = Object.entries({ payments, refunds, mandates }).filter(([, count]) => count > 0)
    return `${counts.map(([name, count]) => `${count} ${name}`).join(', ')} of the account ${accountId}`
  })
  const names = stranded.map(({ accountId }) => accountId).join(',')
  return (
    `${what.join('; ')} cannot be finished: its keys are not in the environment any more. Put them back with ` +
    `PROVIDERS_PAUSED=${names}, so that it takes nothing new and finishes these`
  )
}

function named(accounts: readonly ExaminedAccount[]): string {
  return accounts.map(({ institute, title }) => `"${title}" of ${institute}`).join(', ')
}
