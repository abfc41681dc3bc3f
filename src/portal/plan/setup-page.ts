import { sumsOf } from '../../flex/plans/plan-events.ts'
import { MANDATE_ENDED } from '../../flex/mandates/end-mandate.ts'
import { assertNever } from '../../platform/assert.ts'
import { formatRupees } from '../../platform/money.ts'
import {
  downOf,
  figureOf,
  formOf,
  headOf,
  mandateOf,
  nextOf,
  scheduleOf,
  termsOf,
  type Face,
  type FlexScene,
} from './setup-parts.ts'
import { FLEX_WORDS, type FlexWords } from './setup.texts.ts'
import { fill, WORDS } from '../checkout/checkout.texts.ts'

const WAITING_REFRESH_SECONDS = 5
const OPEN_REFRESH_SECONDS = 20

type FlexPage = { title: string; data: Record<string, unknown>; refreshSeconds: number | undefined }

export function describeFlex(scene: FlexScene): FlexPage {
  const { file, institute, language, path } = scene
  const { name: where } = institute
  const words = FLEX_WORDS[language]
  const face = faceOf(scene, words)
  const hours = String(scene.debitRules.rules.noticeMinutes / 60)
  const refreshSeconds = scene.isStill ? undefined : face.refreshSeconds
  const isLive = ['setup', 'active', 'locked'].includes(file.plan.state)
  const data = {
    ...headOf(scene, words),
    ...figureOf(scene, face, words),
    tone: face.tone,
    statusText: face.status,
    say: fill(face.say, { where, hours, amount: formatRupees(downOf(file).amountPaise) }),
    next: face.status === words.active ? nextOf(file, words, language) : undefined,
    alert: scene.problem === 'changed' ? words.changed : undefined,
    checkUrl: face.refreshSeconds === WAITING_REFRESH_SECONDS ? path : undefined,
    stillUrl: refreshSeconds === undefined ? undefined : `${path}?still=1`,
    schedule: scheduleOf(scene, face, words),
    mandate: mandateOf(file.mandate, words, language),
    terms: face.act === 'agree' || face.act === 'pay' ? termsOf(scene, words) : [],
    termsHead: face.act === 'pay' ? words.termsNext : words.terms,
    stop: isLive || face.act !== undefined ? fill(words.stopSay, { where }) : undefined,
    form: formOf(scene, face, words),
    reference: file.plan.id,
  }
  const isPlain = face.status === words.toSetUp
  const title = fill(isPlain ? words.title : words.titleWithStatus, { status: face.status, where })
  return { title, data, refreshSeconds }
}

/** The same page without anything to set up: what stands in the way, and that nothing happened. */
export function describeObstacle(
  scene: Pick<FlexScene, 'institute' | 'file' | 'studentName' | 'isSandbox' | 'path' | 'language'>,
  obstacle: { kind: 'refused'; message: string } | { kind: 'unsuitable' } | { kind: 'try_later' },
): FlexPage {
  const { institute, file, path, language } = scene
  const { name: where } = institute
  const words = FLEX_WORDS[language]
  const isLater = obstacle.kind === 'try_later'
  const status = isLater ? words.tryLater : words.refused
  const says = {
    refused: words.refusedSay,
    unsuitable: words.unsuitableSay,
    try_later: words.tryLaterSay,
  }[obstacle.kind]
  const { amountPaise, isPaid } = downOf(file)
  const data = {
    ...headOf(scene, words),
    tone: isLater ? 'unpaid' : 'failed',
    statusText: status,
    say: fill(says, { where }),
    quote: obstacle.kind === 'refused' ? obstacle.message : undefined,
    after: [
      isPaid ? fill(words.nothingMore, { amount: formatRupees(amountPaise) }) : words.nothingDone,
      isLater ? '' : fill(words.askThem, { where }),
    ].join(' '),
    retryUrl: isLater ? path : undefined,
    terms: [],
    reference: file.plan.id,
  }
  const title = fill(words.titleWithStatus, { status, where })
  return { title, data, refreshSeconds: undefined }
}

/** Whether a mandate may be begun: the page then has the form for it. */
export function canAgree(scene: FlexScene): boolean {
  return faceOf(scene, FLEX_WORDS.en).act !== undefined && !downOf(scene.file).isUnpaid
}

function faceOf(scene: FlexScene, words: FlexWords): Face {
  const { plan, mandate } = scene.file
  switch (plan.state) {
    case 'draft':
      return draftFace(scene, words)
    case 'setup':
    case 'locked': {
      if (plan.state === 'locked' && plan.lockReason !== MANDATE_ENDED)
        return { tone: 'unpaid', status: words.locked, say: words.lockedSay, figure: 'left' }
      return mandateFace(scene, words) ?? freshFace(scene, words)
    }
    case 'active':
      if (plan.isHeld) return { tone: 'unpaid', status: words.held, say: words.heldSay, figure: 'left' }
      return { tone: 'paid', status: words.active, say: words.activeSay, figure: 'left' }
    case 'cancelled': {
      const say = mandate === null ? words.cancelledDraftSay : words.cancelledSay
      const face: Face = { tone: 'cancelled', status: words.cancelled, say }
      return sumsOf(scene.file).paidPaise === 0 ? face : { ...face, figure: 'paid' }
    }
    case 'closed':
      return { tone: 'paid', status: words.closed, say: words.closedSay, figure: 'paid' }
    default:
      return assertNever(plan.state)
  }
}

function draftFace(scene: FlexScene, words: FlexWords): Face {
  const { downPayment, language, file } = scene
  const { isUnpaid } = downOf(file)
  const base: Face = { tone: 'unpaid', status: words.toSetUp, say: words.downSay, figure: 'all' }
  if (isUnpaid && downPayment?.state === 'pending') {
    const { waiting, waitingSay, waitingStill } = WORDS[language]
    const say = scene.isStill ? waitingStill : waitingSay
    return { ...base, status: waiting, say, refreshSeconds: WAITING_REFRESH_SECONDS }
  }
  if (isUnpaid) return offer(scene, base, words, 'pay')
  if (file.instalments.every(one => one.isDownpayment))
    return { tone: 'paid', status: words.closed, say: words.closedSay, figure: 'paid' }
  return mandateFace(scene, words) ?? freshFace(scene, words)
}

function freshFace(scene: FlexScene, words: FlexWords): Face {
  if (scene.file.plan.state === 'locked')
    return offer(scene, { tone: 'failed', status: words.ended, say: words.endedSay, figure: 'left' }, words)
  const say = downOf(scene.file).isPaid ? words.downPaidSay : words.toSetUpSay
  return offer(scene, { tone: 'unpaid', status: words.toSetUp, say, figure: figureFor(scene) }, words)
}

/** How the mandate stands, as long as it is neither active nor over. */
function mandateFace(scene: FlexScene, words: FlexWords): Face | null {
  const { mandate } = scene.file
  const figure = figureFor(scene)
  if (mandate?.state === 'rejected') {
    const isDeclined = mandate.authorisedAt === null
    const status = isDeclined ? words.declined : words.rejected
    const say = isDeclined ? words.declinedSay : words.rejectedSay
    return offer(scene, { tone: 'failed', status, say, figure }, words)
  }
  if (mandate?.state !== 'pending') return null
  const base: Face = { tone: 'unpaid', status: words.confirming, say: '', figure }
  if (mandate.authorisedAt !== null)
    return mandate.rail === 'enach'
      ? { ...base, say: words.confirmingEnachSay }
      : { ...base, say: words.confirmingUpiSay, refreshSeconds: WAITING_REFRESH_SECONDS }
  if (scene.isChoosing) return null
  const open: Face = { ...base, status: words.open, say: words.openSay, act: 'go on' }
  return { ...open, refreshSeconds: OPEN_REFRESH_SECONDS }
}

/** Once something is paid, what is left counts. */
function figureFor({ file }: FlexScene): 'all' | 'left' {
  return file.plan.state === 'locked' || downOf(file).isPaid ? 'left' : 'all'
}

function offer(
  { takesMandates, offers }: FlexScene,
  face: Face,
  words: FlexWords,
  act: 'pay' | 'agree' = 'agree',
): Face {
  return takesMandates && offers.length > 0 ? { ...face, act } : { ...face, say: words.awaySay }
}
