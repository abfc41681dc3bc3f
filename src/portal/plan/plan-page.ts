import type { Dues } from '../../dues/dues.service.ts'
import { sumsOf } from '../../flex/plans/plan-events.ts'
import { MANDATE_ENDED } from '../../flex/mandates/end-mandate.ts'
import { isOpen, type Instalment, type LoadedPlan } from '../../flex/rules/plan.rules.ts'
import type { Asker } from '../../flex/plans/plans.service.ts'
import { meaningOf } from '../../flex/rules/returns.rules.ts'
import { sumLines } from '../../flex/rules/schedule.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { formatRupees, sumPaise } from '../../platform/money.ts'
import { pathOfStudent } from '../entry/entry.rules.ts'
import { mandateOf, nextOf, sayDay } from './setup-parts.ts'
import { FLEX_WORDS } from './setup.texts.ts'
import type { ParentsWords } from '../parents/parents.texts.ts'
import { fill, type Language } from '../checkout/checkout.texts.ts'

/** What the page of a child's instalments shows, decided without touching anything. */
export type PlanSceneOfParent = {
  institute: Institute
  dues: Dues
  file: LoadedPlan | null
  /** Who paused it last; counts while it is held. */
  heldBy: Asker
  takesMandates: boolean
  /** Hours between a notice and its debit. */
  noticeHours: number
  language: Language
}

export type PlanAct = 'hold' | 'resume' | 'cancel'

type Face = {
  tone: 'unpaid' | 'paid' | 'failed' | 'cancelled'
  status: string
  say: string
  /** A form that makes a plan, or a link to its set-up page. */
  main?: { kind: 'start' | 'set up'; text: string }
}

export function describePlan(
  scene: PlanSceneOfParent,
  words: ParentsWords,
): { title: string; data: Record<string, unknown> } {
  const { dues, file, institute, language } = scene
  const { student } = dues.context
  const who = student.fullname
  const where = institute.name
  const flexWords = FLEX_WORDS[language]
  const face = faceOf(scene, words)
  const path = pathOfStudent(student.id)
  const setUpUrl = file === null ? undefined : `/flex/${institute.code}/${file.plan.id}`
  const acts = actsOf(scene)
  const data = {
    heading: fill(words.plan.heading, { who }),
    up: { url: path, text: fill(words.student.heading, { who }) },
    ...figureOf(scene, words),
    tone: face.tone,
    statusText: face.status,
    say: fill(face.say, { where, who, hours: String(scene.noticeHours) }),
    next: face.tone === 'paid' && file !== null ? nextOf(file, flexWords, language) : undefined,
    start: face.main?.kind === 'start' ? { action: `${path}/plan/start`, text: face.main.text } : null,
    setUp: face.main?.kind === 'set up' ? { url: setUpUrl, text: face.main.text } : null,
    tables: file === null || file.plan.state === 'draft' ? [] : tablesOf(scene, file, words),
    mandate: file === null ? null : mandateOf(file.mandate, flexWords, language),
    mandateHead: flexWords.mandate,
    acts: acts.map(act => ({ url: `${path}/plan/${act}`, text: actText(act, words) })),
    atBank: acts.length > 0 ? words.plan.atBank : undefined,
    detailsUrl: isLive(file) ? setUpUrl : undefined,
    reference: file?.plan.id,
  }
  return { title: fill(words.plan.title, { who, where }), data }
}

function isLive(file: LoadedPlan | null): file is LoadedPlan {
  return file !== null && ['setup', 'active', 'locked'].includes(file.plan.state)
}

/** What the parent may do: a pause by the institute is not theirs to end, and a stop always is theirs. */
export function actsOf({ file, heldBy }: Pick<PlanSceneOfParent, 'file' | 'heldBy'>): PlanAct[] {
  if (!isLive(file)) return []
  const { state, isHeld } = file.plan
  const canPause = !isHeld && (state === 'active' || state === 'setup')
  return [
    ...(canPause ? ['hold' as const] : []),
    ...(isHeld && heldBy === 'payer' ? ['resume' as const] : []),
    'cancel',
  ]
}

function actText(act: PlanAct, { plan }: ParentsWords): string {
  return { hold: plan.pause, resume: plan.resume, cancel: plan.stop }[act]
}

function faceOf(scene: PlanSceneOfParent, words: ParentsWords): Face {
  const { file, language } = scene
  const flexWords = FLEX_WORDS[language]
  const { plan } = words
  if (file === null) return startFace(scene, { tone: 'unpaid', status: plan.none, say: plan.noneSay }, words)
  switch (file.plan.state) {
    case 'cancelled': {
      const face: Face = { tone: 'cancelled', status: flexWords.cancelled, say: plan.cancelledSay }
      return startFace(scene, face, words)
    }
    case 'closed': {
      const face: Face = { tone: 'paid', status: flexWords.closed, say: flexWords.closedSay }
      return scene.dues.owedPaise > 0 ? startFace(scene, face, words) : face
    }
    case 'draft':
      if (scene.dues.context.student.status === 'dropped')
        return { tone: 'cancelled', status: plan.none, say: plan.leftSay }
      return {
        tone: 'unpaid',
        status: flexWords.toSetUp,
        say: plan.draftSay,
        main: { kind: 'set up', text: plan.setUp },
      }
    case 'locked':
      if (file.plan.lockReason === MANDATE_ENDED)
        return {
          tone: 'failed',
          status: flexWords.ended,
          say: flexWords.endedSay,
          main: { kind: 'set up', text: plan.newMandate },
        }
      return { tone: 'unpaid', status: flexWords.locked, say: flexWords.lockedSay }
    default:
      return runningFace(scene, file, words)
  }
}

function runningFace(
  { language, heldBy }: PlanSceneOfParent,
  file: LoadedPlan,
  { plan }: ParentsWords,
): Face {
  const flexWords = FLEX_WORDS[language]
  if (file.plan.isHeld) {
    const say = heldBy === 'payer' ? plan.heldByYou : plan.heldByThem
    return { tone: 'unpaid', status: flexWords.held, say }
  }
  if (file.plan.state === 'setup')
    return { tone: 'unpaid', status: flexWords.confirming, say: plan.waitingSay }
  return { tone: 'paid', status: flexWords.active, say: flexWords.activeSay }
}

/** With the button for new instalments where they can be begun, else with why they cannot. */
function startFace(
  { dues, takesMandates, language, file }: PlanSceneOfParent,
  face: Face,
  { plan }: ParentsWords,
): Face {
  if (dues.context.student.status === 'dropped') return { ...face, say: plan.leftSay }
  if (dues.owedPaise === 0) return file === null ? { ...face, say: plan.nothingSay } : face
  if (!takesMandates) return { ...face, say: FLEX_WORDS[language].awaySay }
  return { ...face, main: { kind: 'start', text: file === null ? plan.start : plan.again } }
}

function figureOf(
  { file, dues, language }: PlanSceneOfParent,
  { plan }: ParentsWords,
): Record<string, unknown> {
  if (file === null || file.plan.state === 'draft')
    return { amount: dues.owedPaise > 0 ? formatRupees(dues.owedPaise) : undefined }
  if (!isLive(file))
    return { amount: formatRupees(sumsOf(file).paidPaise), meaning: FLEX_WORDS[language].paidSoFar }
  const toCome = file.instalments.filter(isToCome)
  return { amount: amountOf(toCome), meaning: plan.left }
}

function amountOf(instalments: readonly Instalment[]): string {
  return formatRupees(sumPaise(instalments.map(({ lines }) => sumLines(lines))))
}

const COMING: readonly Instalment['state'][] = ['scheduled', 'confirmed', 'skipped', 'presented']

function isToCome({ state }: Instalment): boolean {
  return COMING.includes(state)
}

/** What comes first, then what was, newest first. */
function tablesOf(scene: PlanSceneOfParent, { instalments }: LoadedPlan, words: ParentsWords) {
  const byDay = instalments.toSorted((one, other) => (dayOf(one) < dayOf(other) ? -1 : 1))
  const tables = [
    { caption: words.plan.coming, rows: byDay.filter(isToCome) },
    { caption: words.plan.past, rows: byDay.filter(one => !isToCome(one)).toReversed() },
  ]
  return tables
    .filter(({ rows }) => rows.length > 0)
    .map(({ caption, rows }) => ({ caption, rows: rows.map(row => rowOf(row, scene, words)) }))
}

function dayOf({ state, presentOn, presentedOn, dueOn, isDownpayment }: Instalment): string {
  if (isDownpayment) return dueOn
  return COMING.includes(state) ? presentOn : (presentedOn ?? dueOn)
}

function rowOf(one: Instalment, { language }: PlanSceneOfParent, words: ParentsWords) {
  const flexWords = FLEX_WORDS[language]
  const day = dayOf(one)
  const why = whyOf(one, words)
  return {
    label: one.isDownpayment ? flexWords.atStart : sayDay(day, language),
    notes: [
      ...(one.state === 'scheduled' ? [] : [{ text: flexWords.states[one.state], tone: toneOf(one) }]),
      ...(why === null ? [] : [{ text: why, tone: undefined }]),
      ...(day === one.dueOn || one.isDownpayment
        ? []
        : [{ text: fill(words.plan.moved, { day: sayDay(one.dueOn, language) }), tone: undefined }]),
    ],
    amount: formatRupees(sumLines(one.lines)),
  }
}

/** Why the bank returned it; of one that is tried again, why it was returned before. */
function whyOf({ state, returnCode }: Instalment, { why, plan }: ParentsWords): string | null {
  if (returnCode === null) return null
  const words = why[meaningOf(returnCode).category]
  if (state === 'bounced' || state === 'reversed') return words
  return COMING.includes(state) ? fill(plan.triedBefore, { why: words }) : null
}

function toneOf({ state }: Instalment): string | undefined {
  if (['debited', 'settled', 'covered'].includes(state)) return 'paid'
  if (state === 'bounced' || state === 'reversed') return 'failed'
  return state === 'skipped' || state === 'presented' ? 'unpaid' : undefined
}

/** Asks once before something is paused or ended. */
export function describeConfirm(
  act: PlanAct,
  scene: PlanSceneOfParent & { file: LoadedPlan },
  words: ParentsWords,
): { title: string; data: Record<string, unknown> } {
  const { dues, institute, file } = scene
  const { student } = dues.context
  const { heading, say, button } = words.confirm[act]
  const path = `${pathOfStudent(student.id)}/plan`
  const left = amountOf(file.instalments.filter(isOpen))
  const data = {
    heading,
    about: fill(words.plan.heading, { who: student.fullname }),
    say: fill(say, { left, where: institute.name }),
    form: { action: `${path}/${act}`, button, planId: file.plan.id },
    no: { url: path, text: words.confirm.no },
  }
  return { title: `${heading} ${fill(words.plan.heading, { who: student.fullname })}`, data }
}
