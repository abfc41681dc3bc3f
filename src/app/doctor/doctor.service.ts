import { access, constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import { examineCells } from '../../cells/status.service.ts'
import { englishName } from '../../messages/messages.rules.ts'
import { checkLender, listLenders } from '../../loans/lenders/lenders.service.ts'
import type { Context } from '../../platform/context.ts'
import { readRestoreTrial } from '../../platform/backup/restore.ts'
import { newestBackup } from '../../platform/backup/schedule.ts'
import { readDisk } from '../../platform/retention/disk.ts'
import { isBackupLate } from '../../platform/backup/schedule.rules.ts'
import { readWaiting } from '../../platform/retention/retention.ts'
import type { ProviderValues } from '../../providers/entry.ts'
import { PROVIDERS, providerTitle } from '../../providers/catalogue.ts'
import type { Config } from '../config.ts'
import { partitionedLogs } from '../retention.ts'
import { smsTemplates, unknownNames } from '../context.ts'
import { describeStuck } from '../status/status.rules.ts'
import { reachCallbacks, readCertificate, reachPublicUrl } from './doctor.client.ts'
import {
  judgeArchive,
  judgeBackup,
  judgeCells,
  judgeCertificate,
  judgeClock,
  judgeLenders,
  judgePeople,
  judgeRestore,
  judgeServer,
  judgeSms,
  ok,
  problem,
  warning,
  judgeAccounts,
  type Finding,
  type ExaminedAccount,
  type UnfinishedWork,
} from './doctor.rules.ts'
import { countDeskPeople, readPeople, readServer, listStranded } from './doctor.store.ts'
import { listInstitutes } from '../../institutes/institutes.service.ts'
import { countUnmatchedReports } from '../../payments/settlements/settlements.service.ts'
import { BHARAT_CONNECT } from '../../bharat-connect/bills.rules.ts'
import { BANK_TRANSFER } from '../../loans/loans.rules.ts'
import { keyKindOf, type ProviderAccount } from '../../providers/accounts/accounts.rules.ts'
import {
  listAllAccounts,
  listWithKeyOf,
  findConnectionProblem,
} from '../../providers/accounts/accounts.service.ts'
import { AccountRegistry } from '../../providers/accounts/registry.service.ts'
import { DAY_MS } from '../../platform/calendar.ts'

type DoctorCheck = () => Promise<Omit<Finding, 'subject'>>

/** Looks at everything that an installation needs; what cannot be looked at is a finding too. */
export function examine(config: Config, ctx: Context): Promise<Finding[]> {
  const looks: Record<string, DoctorCheck> = {
    'Database server': async () => judgeServer(await readServer(ctx.db), config.poolSize),
    'Clock of this machine': async () => {
      const before = Date.now()
      const { now } = await readServer(ctx.db)
      // The database told its time somewhere in between.
      return judgeClock((before + Date.now()) / 2 - now.getTime())
    },
    Disk: () => lookAtDisk(config),
    Backups: () => lookAtBackups(config, ctx),
    'Trial restore': async () =>
      judgeRestore(await readRestoreTrial(config.dataDir), new Date(), config.databaseUrl === null),
    Archive: () => lookAtArchive(config, ctx),
    'Public address': async () => {
      const flaw = await reachPublicUrl(config.publicUrl)
      if (flaw === null) return ok(`${config.publicUrl} reaches Bursar`)
      return problem(`${config.publicUrl} does not reach a running Bursar: ${flaw}`)
    },
    Callbacks: async () => {
      const flaw = await reachCallbacks(config.publicUrl)
      if (flaw === null) return ok('what providers and lenders post reaches Bursar')
      return problem(`what providers and lenders post does not reach Bursar: ${flaw}`)
    },
    Certificate: async () =>
      judgeCertificate(await readCertificate(config.publicUrl), new Date(), config.mode === 'live'),
    'E-mail': () => lookAtMail(config),
    'SMS and WhatsApp': async () => lookAtPhones(config),
    ...Object.fromEntries(
      [...config.providers].map(([name, values]) => [providerTitle(name), provider(name, values, config)]),
    ),
    'Provider accounts': () => lookAtAccounts(config, ctx),
    Lenders: () => lookAtLenders(ctx),
    Institutes: async () => judgePeople(await readPeople(ctx.db)),
    Cells: async () => judgeCells(await examineCells(ctx, config)),
  }
  return Promise.all(
    Object.entries(looks).map(async ([subject, look]) => {
      const finding = await look().catch((error: unknown) =>
        problem(`could not be looked at: ${error instanceof Error ? error.message : String(error)}`),
      )
      return { subject, ...finding }
    }),
  )
}

async function lookAtDisk({ databaseUrl, dataDir }: Config): ReturnType<DoctorCheck> {
  if (databaseUrl !== null) return ok('the database has its own')
  const { freeBytes, isAlmostFull } = await readDisk(dataDir)
  const free = `${(freeBytes / 1e9).toFixed(1)} GB free in ${dataDir}`
  return isAlmostFull ? problem(`${free}: make room, a full disk stops everything`) : ok(free)
}

async function lookAtBackups({ backup, databaseUrl }: Config, { vault }: Context): ReturnType<DoctorCheck> {
  if (backup === null || databaseUrl !== null) return judgeBackup(null, databaseUrl === null)
  const last = await newestBackup(backup.folder, vault)
  return judgeBackup({ last, isLate: isBackupLate(last, backup.at, new Date()) }, true)
}

async function lookAtArchive({ retention }: Config, { db }: Context): ReturnType<DoctorCheck> {
  const { archiveDir: folder } = retention
  const stuck = describeStuck(await readWaiting(db, partitionedLogs(retention)))
  return judgeArchive({ folder, flaw: folder === null ? null : await writeFlaw(folder), stuck })
}

/** Why a folder cannot be written to, or made; null: it can. */
async function writeFlaw(folder: string): Promise<string | null> {
  try {
    await access(folder, constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return isMissing && dirname(folder) !== folder ? writeFlaw(dirname(folder)) : (error as Error).message
  }
}

async function lookAtMail({ mail: { smtpUrl, from }, mode }: Config): ReturnType<DoctorCheck> {
  if (smtpUrl === null)
    return mode === 'live'
      ? problem('no e-mail leaves: set SMTP_URL and MAIL_FROM')
      : ok("stays in the sandbox's mailbox")
  // Its library is loaded only where mail leaves the process.
  const { createMailer } = await import('../../messages/senders/smtp.client.ts')
  const mailer = createMailer({ url: smtpUrl, from })
  try {
    const flaw = await mailer.verify()
    const host = URL.parse(smtpUrl)?.hostname
    return flaw === null ? ok(`${host} takes mail from ${from.address}`) : problem(`${host} says: ${flaw}`)
  } finally {
    mailer.close()
  }
}

function lookAtPhones({ sms, whatsapp, mode }: Config): Omit<Finding, 'subject'> {
  const judged = judgeSms({
    isSet: sms !== null,
    unknown: unknownNames(sms?.templateIds ?? {}),
    inEnglish: sms === null ? [] : namesInEnglish(sms.templateIds),
    general: sms === null ? 0 : namesWithout(sms.templateIds).length - namesInEnglish(sms.templateIds).length,
  })
  if (judged !== null) {
    const isBoth = judged.verdict === 'ok' && whatsapp !== null
    return isBoth ? ok(`WhatsApp and ${judged.text}`) : judged
  }
  if (whatsapp !== null) return ok('WhatsApp set up')
  return mode === 'live'
    ? warning('none is set up: families are told by e-mail alone')
    : ok('stay in the mailbox')
}

/** Registered in English alone. */
function namesInEnglish(templateIds: Readonly<Record<string, string>>): string[] {
  return namesWithout(templateIds).filter(name => templateIds[englishName(name)] !== undefined)
}

function namesWithout(templateIds: Readonly<Record<string, string>>): string[] {
  return smsTemplates()
    .map(({ name }) => name)
    .filter(name => templateIds[name] === undefined)
}

async function lookAtLenders(ctx: Context): ReturnType<DoctorCheck> {
  const [lenders, people] = await Promise.all([listLenders(ctx), countDeskPeople(ctx.db)])
  const states = lenders.map(async ({ code, title, kind, pausedAt, institutes }) => ({
    title,
    isPaused: pausedAt !== null,
    flaw: pausedAt === null ? (await checkLender(ctx, code)).flaw : null,
    institutes: institutes.length,
    people: kind === 'desk' ? (people.get(code) ?? 0) : null,
  }))
  return judgeLenders(await Promise.all(states), ctx.mode === 'live')
}

function provider(name: string, values: ProviderValues, config: Config): DoctorCheck {
  return async () => {
    const entry = PROVIDERS[name]
    if (entry === undefined) return problem('is not known')
    await entry.create(values, { apiUrl: config.providerUrls.get(name) }).checkConnection?.()
    return ok(`takes our ${entry.describe(values).key ?? ''} key`)
  }
}

const SHARED =
  'has the key of the installation too, and each reports the pay-outs of the other: take it out of the environment or replace it here.'
/** One look calls providers at most this often, so that a large installation gets its answer. */
const MOST_CALLS = 50

/** What went through accounts of the installation whose keys were taken out of the environment before it was finished. */
export async function findStranded(
  { providers }: Pick<Config, 'providers'>,
  { db }: Pick<Context, 'db'>,
): Promise<UnfinishedWork[]> {
  return listStranded(db, [...providers.keys(), 'sandbox', BANK_TRANSFER, BHARAT_CONNECT])
}

/** Whether every institute can be paid, and what is wrong with its accounts. */
export async function lookAtAccounts(config: Config, ctx: Context): Promise<Omit<Finding, 'subject'>> {
  const installation = new Map(
    [...config.providers].flatMap(([name, values]) => {
      const port = PROVIDERS[name]?.create(values, { apiUrl: config.providerUrls.get(name) })
      return port === undefined ? [] : [[name, port] as const]
    }),
  )
  const accounts = new AccountRegistry(ctx, installation, {
    apiUrls: config.providerUrls,
    values: config.providers,
    paused: config.pausedProviders,
  })
  const [institutes, all, shared] = await Promise.all([
    listInstitutes(ctx),
    listAllAccounts(ctx),
    listWithKeyOf(ctx, config.providers),
  ])
  const codes = new Map(institutes.map(({ id, code }) => [id, code]))
  const examine = async (account: ProviderAccount, position: number): Promise<ExaminedAccount> => {
    const { instituteId, id: accountId, pausedAt, keyKind, heardAt, createdAt } = account
    const isAsked = pausedAt === null && position < MOST_CALLS
    const port = isAsked ? (await accounts.accountOf({ instituteId, accountId })).port : {}
    return {
      institute: codes.get(instituteId) ?? '',
      title: account.title,
      isPaused: pausedAt !== null,
      isTestKey: keyKind === 'test',
      flaw: shared.some(({ id }) => id === accountId) ? SHARED : await findConnectionProblem(port),
      isSilent: heardAt === null && ctx.clock.now().getTime() - createdAt.getTime() > DAY_MS,
    }
  }
  const keyKind = keyKindOf(ctx.mode)
  const canPay = (id: number): boolean =>
    installation.size > 0 ||
    all.some(
      one =>
        one.instituteId === id && one.keyKind === keyKind && one.pausedAt === null && one.methods.length > 0,
    )
  return judgeAccounts({
    stranded: await findStranded(config, ctx),
    accounts: await Promise.all(all.map(examine)),
    unpayable: institutes.filter(({ id }) => !canPay(id)).map(({ code }) => code),
    unmatched: await countUnmatchedReports(ctx),
    hasInstallation: installation.size > 0,
    isLive: ctx.mode === 'live',
  })
}
