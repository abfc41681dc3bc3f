import type { Unfinished } from './payments.store.ts'
import { ok, problem, warning, type Finding } from './doctor.rules.ts'

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

type Examined = {
  /** What cannot be finished, because its account is not configured any more. */
  stranded: readonly Unfinished[]
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
}: Examined): Omit<Finding, 'subject'> {
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

export function describeStranded(stranded: readonly Unfinished[]): string {
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
