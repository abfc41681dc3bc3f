import { MANDATE_ENDED } from '../../flex/mandates/end-mandate.ts'
import { isAtBank, sumsOf } from '../../flex/rules/plan.rules.ts'
import { assertNever } from '../../platform/assert.ts'
import { formatRupees } from '../../platform/money.ts'
import {
  downOf,
  figureOf,
  formOf,
  headOf,
  localDay,
  mandateOf,
  nextOf,
  scheduleOf,
  termsOf,
  payOnlineOf,
  stoppableOf,
  type StatusBanner,
  type SetupPageData,
} from './page-parts.ts'
import { fill, plural } from '../../platform/languages.ts'
import { textsIn, type PlanSetupTexts } from '../texts/texts.ts'

const WAITING_REFRESH_SECONDS = 5
const OPEN_REFRESH_SECONDS = 20

type SetupPage = { title: string; data: Record<string, unknown>; refreshSeconds: number | undefined }

export function describeSetup(pageData: SetupPageData): SetupPage {
  const { file, institute, language, path } = pageData
  const { name: where } = institute
  const texts = textsIn(language).planSetup
  const banner = bannerFor(pageData, texts)
  const hours = String(pageData.debitRules.rules.noticeMinutes / 60)
  const refreshSeconds = pageData.isRefreshPaused ? undefined : banner.refreshSeconds
  const isLive = ['setup', 'active', 'locked'].includes(file.plan.state)
  const data = {
    ...headOf(pageData, texts),
    ...figureOf(pageData, banner, texts),
    tone: banner.tone,
    statusText: banner.status,
    say: [
      fill(banner.say, { where, hours, amount: formatRupees(downOf(file).amountPaise) }),
      payOnlineOf(file, where, texts) ?? '',
    ]
      .join(' ')
      .trim(),
    next: banner.status === texts.active ? nextOf(file, texts, language) : undefined,
    alert: pageData.problem === 'changed' ? texts.changed : undefined,
    checkUrl: banner.refreshSeconds === WAITING_REFRESH_SECONDS ? path : undefined,
    stillUrl: refreshSeconds === undefined ? undefined : `${path}?still=1`,
    lengths: banner.act === 'agree' || banner.act === 'pay' ? lengthsOf(pageData, texts) : null,
    charges: stoppableOf(file, texts, { language, action: `${path}/stop` }),
    schedule: scheduleOf(pageData, banner, texts),
    mandate: mandateOf(file.mandate, texts, language),
    terms: banner.act === 'agree' || banner.act === 'pay' ? termsOf(pageData, texts) : [],
    termsHead: banner.act === 'pay' ? texts.termsNext : texts.terms,
    stop: isLive || banner.act !== undefined ? fill(texts.stopSay, { where }) : undefined,
    form: formOf(pageData, banner, texts),
    reference: file.plan.id,
  }
  const isPlain = banner.status === texts.toSetUp
  const title = fill(isPlain ? texts.title : texts.titleWithStatus, { status: banner.status, where })
  return { title, data, refreshSeconds }
}

/** Each with what a month takes, so that a parent compares before choosing. */
function lengthsOf({ lengths, path, language }: SetupPageData, texts: PlanSetupTexts) {
  if (lengths.length < 2) return null
  return {
    action: `${path}/length`,
    choices: lengths.map(({ instalments, amountPaise, lastPaise, firstOn, lastOn, isChosen }) => ({
      value: instalments,
      label: fill(plural(texts.length, instalments, language), {
        count: String(instalments),
        amount: formatRupees(amountPaise),
      }),
      hint: [
        fill(instalments === 1 ? texts.lengthDay : texts.lengthDays, {
          first: localDay(firstOn, language),
          last: localDay(lastOn, language),
        }),
        ...(lastPaise === amountPaise ? [] : [fill(texts.lengthLast, { amount: formatRupees(lastPaise) })]),
      ].join(' '),
      isChosen,
    })),
  }
}

/** The page when the plan cannot be set up: the reason, and that nothing was started. */
export function describeObstacle(
  pageData: Pick<SetupPageData, 'institute' | 'file' | 'studentName' | 'isSandbox' | 'path' | 'language'>,
  obstacle: { kind: 'refused'; message: string } | { kind: 'unsuitable' } | { kind: 'try_later' },
): SetupPage {
  const { institute, file, path, language } = pageData
  const { name: where } = institute
  const texts = textsIn(language).planSetup
  const isLater = obstacle.kind === 'try_later'
  const status = isLater ? texts.tryLater : texts.refused
  const says = {
    refused: texts.refusedSay,
    unsuitable: texts.unsuitableSay,
    try_later: texts.tryLaterSay,
  }[obstacle.kind]
  const { amountPaise, isPaid } = downOf(file)
  const data = {
    ...headOf(pageData, texts),
    tone: isLater ? 'unpaid' : 'failed',
    statusText: status,
    say: fill(says, { where }),
    quote: obstacle.kind === 'refused' ? obstacle.message : undefined,
    after: [
      isPaid ? fill(texts.nothingMore, { amount: formatRupees(amountPaise) }) : texts.nothingDone,
      isLater ? '' : fill(texts.askThem, { where }),
    ].join(' '),
    retryUrl: isLater ? path : undefined,
    terms: [],
    reference: file.plan.id,
  }
  const title = fill(texts.titleWithStatus, { status, where })
  return { title, data, refreshSeconds: undefined }
}

/** Whether the page offers the form that starts a mandate. */
export function canAgree(pageData: SetupPageData): boolean {
  return bannerFor(pageData, textsIn('en').planSetup).act !== undefined && !downOf(pageData.file).isUnpaid
}

function bannerFor(pageData: SetupPageData, texts: PlanSetupTexts): StatusBanner {
  const { plan, mandate } = pageData.file
  switch (plan.state) {
    case 'draft':
      return draftBanner(pageData, texts)
    case 'setup':
    case 'locked': {
      if (plan.state === 'locked' && plan.lockReason !== MANDATE_ENDED)
        return { tone: 'unpaid', status: texts.locked, say: texts.lockedSay, figure: 'left' }
      return mandateBanner(pageData, texts) ?? freshBanner(pageData, texts)
    }
    case 'active':
      if (plan.isHeld) return { tone: 'unpaid', status: texts.held, say: texts.heldSay, figure: 'left' }
      return { tone: 'paid', status: texts.active, say: texts.activeSay, figure: 'left' }
    case 'cancelled': {
      const say = mandate === null ? texts.cancelledDraftSay : texts.cancelledSay
      const banner: StatusBanner = isAtBank(pageData.file)
        ? { tone: 'cancelled', status: texts.cancelling, say: texts.cancellingSay }
        : { tone: 'cancelled', status: texts.cancelled, say }
      return sumsOf(pageData.file).paidPaise === 0 ? banner : { ...banner, figure: 'paid' }
    }
    case 'closed':
      return { tone: 'paid', status: texts.closed, say: texts.closedSay, figure: 'paid' }
    default:
      return assertNever(plan.state)
  }
}

function draftBanner(pageData: SetupPageData, texts: PlanSetupTexts): StatusBanner {
  const { downPayment, language, file } = pageData
  const { isUnpaid } = downOf(file)
  const base: StatusBanner = { tone: 'unpaid', status: texts.toSetUp, say: texts.downSay, figure: 'all' }
  if (isUnpaid && downPayment?.state === 'pending') {
    const { waiting, waitingSay, waitingStill } = textsIn(language).checkout
    const say = pageData.isRefreshPaused ? waitingStill : waitingSay
    return { ...base, status: waiting, say, refreshSeconds: WAITING_REFRESH_SECONDS }
  }
  if (isUnpaid) return offer(pageData, base, texts, 'pay')
  if (file.instalments.every(one => one.isDownpayment))
    return { tone: 'paid', status: texts.closed, say: texts.closedSay, figure: 'paid' }
  return mandateBanner(pageData, texts) ?? freshBanner(pageData, texts)
}

function freshBanner(pageData: SetupPageData, texts: PlanSetupTexts): StatusBanner {
  if (pageData.file.plan.state === 'locked')
    return offer(
      pageData,
      { tone: 'failed', status: texts.ended, say: texts.endedSay, figure: 'left' },
      texts,
    )
  const say = downOf(pageData.file).isPaid ? texts.downPaidSay : texts.toSetUpSay
  return offer(pageData, { tone: 'unpaid', status: texts.toSetUp, say, figure: figureFor(pageData) }, texts)
}

/** Null unless the mandate is pending or rejected. */
function mandateBanner(pageData: SetupPageData, texts: PlanSetupTexts): StatusBanner | null {
  const { mandate } = pageData.file
  const figure = figureFor(pageData)
  if (mandate?.state === 'rejected') {
    const isDeclined = mandate.authorisedAt === null
    const status = isDeclined ? texts.declined : texts.rejected
    const say = isDeclined ? texts.declinedSay : texts.rejectedSay
    return offer(pageData, { tone: 'failed', status, say, figure }, texts)
  }
  if (mandate?.state !== 'pending') return null
  const base: StatusBanner = { tone: 'unpaid', status: texts.confirming, say: '', figure }
  if (mandate.authorisedAt !== null)
    return mandate.rail === 'enach'
      ? { ...base, say: texts.confirmingEnachSay }
      : { ...base, say: texts.confirmingUpiSay, refreshSeconds: WAITING_REFRESH_SECONDS }
  if (pageData.isChoosing) return null
  const open: StatusBanner = { ...base, status: texts.open, say: texts.openSay, act: 'go on' }
  return { ...open, refreshSeconds: OPEN_REFRESH_SECONDS }
}

/** Once something is paid, the page shows what is left. */
function figureFor({ file }: SetupPageData): 'all' | 'left' {
  return file.plan.state === 'locked' || downOf(file).isPaid ? 'left' : 'all'
}

function offer(
  { takesMandates, offers }: SetupPageData,
  banner: StatusBanner,
  texts: PlanSetupTexts,
  act: 'pay' | 'agree' = 'agree',
): StatusBanner {
  return takesMandates && offers.length > 0 ? { ...banner, act } : { ...banner, say: texts.awaySay }
}
