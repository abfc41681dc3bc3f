import type { Lender } from '../../loans/lender-port.ts'
import {
  canEnd,
  emiOf,
  isOver,
  type Application,
  type LoanFile,
  type LoanState,
} from '../../loans/loans.rules.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { assertNever } from '../../platform/assert.ts'
import { dayOf } from '../../platform/calendar.ts'
import { formatRupees, minPaise, paiseOf, subtractPaise, type Paise } from '../../platform/money.ts'
import { CRED_WORDS, type CredWords } from './loan.texts.ts'
import { sayDay } from '../plan/setup-parts.ts'
import { fill, type Language } from '../checkout/checkout.texts.ts'

/** What the page of a loan shows, decided without touching anything. */
export type CredScene = {
  institute: Institute
  collectorCode: string
  studentName: string
  isActive: boolean
  owedPaise: Paise
  lender: Lender
  /** The newest application; null when there is none. */
  file: LoanFile | null
  problem: CredProblem | undefined
  /** What the parent wrote as the amount. */
  wrote: string | undefined
  isSandbox: boolean
  /** Address of this page; where its forms go is below it. */
  path: string
  /** A parent who is in may start and withdraw; who has the link of an application goes on with that one. */
  isParent: boolean
  language: Language
}

export type CredProblem = keyof CredWords['problems'] | 'away'

type Face = {
  tone: 'unpaid' | 'paid' | 'failed' | 'expired' | 'cancelled'
  status: string
  say: string
  form?: 'apply' | 'consent' | 'go on'
}

type CredPage = { title: string; data: Record<string, unknown> }

export function describeCred(scene: CredScene): CredPage {
  const { institute, language, path, file, lender } = scene
  const l = CRED_WORDS[language]
  const face = faceOf(scene, l)
  const facts = factsOf(scene)
  const branch = institute.branches.find(one => one.collectorCode === scene.collectorCode)
  const isReading = face.form === 'apply' || face.form === 'consent'
  const application = file?.application ?? null
  const shown = face.form === 'apply' ? null : file
  const data = {
    l,
    isSandbox: scene.isSandbox,
    institute: institute.name,
    branch: institute.branches.length > 1 ? branch?.name : undefined,
    heading: fill(l.heading, facts),
    ...figureOf(scene, face, l),
    alert: alertOf(scene, l, facts),
    tone: face.tone,
    statusText: face.status,
    say: fill(face.say, facts),
    quote: application?.state === 'rejected' ? application.reason : undefined,
    quoteHead: fill(l.theySay, facts),
    checkUrl: application?.state === 'filled' ? path : undefined,
    story: shown === null || isReading ? [] : storyOf(shown.application, scene, l),
    tranches: shown === null ? [] : tranchesOf(shown, scene, l),
    moneyHead: fill(l.moneyHead, facts),
    emis: (shown?.emis ?? []).map(emi => ({
      label: sayDay(dayOf(emi.paidAt), language),
      amount: formatRupees(emi.amountPaise),
    })),
    terms: isReading ? l.terms.map(term => fill(term, facts)) : [],
    cost: isReading ? costOf(amountOf(scene), lender, l) : null,
    costSay: fill(l.costSay, facts),
    form: formOf(scene, face, l, facts),
    againUrl: canApplyAgain(scene) ? `${path}?apply=1` : undefined,
    withdrawUrl: canWithdraw(scene) ? `${path}/withdraw` : undefined,
    reference: shown?.application.id,
  }
  const isPlain = face.form === 'apply'
  return { title: fill(isPlain ? l.title : l.titleWithStatus, { ...facts, status: face.status }), data }
}

type Facts = Record<string, string>

function factsOf(scene: CredScene): Facts {
  const { file, language, lender } = scene
  const { leastPaise } = lender.limits
  const application = file?.application
  return {
    where: scene.institute.name,
    who: scene.studentName,
    lender: lender.title,
    amount: formatRupees(application?.amountPaise ?? scene.owedPaise),
    day: application === undefined ? '' : sayDay(dayOf(application.expiresAt), language),
    least: formatRupees(leastPaise),
    most: formatRupees(mostOf(scene)),
  }
}

/** The most that can be asked for. */
export function mostOf({ owedPaise, lender }: Pick<CredScene, 'owedPaise' | 'lender'>): Paise {
  return minPaise(owedPaise, lender.limits.mostPaise)
}

/** The amount that the page speaks of. */
function amountOf(scene: CredScene): Paise {
  const application = scene.file?.application
  return application === undefined || isOver(application.state) ? mostOf(scene) : application.amountPaise
}

function faceOf(scene: CredScene, l: CredWords): Face {
  const { file } = scene
  if (file === null) return offerFace(scene, { tone: 'unpaid', status: l.offer, say: l.offerSay }, l)
  const { state, sentAt, ending } = file.application
  const status = l.states[state]
  if (ending !== null && canEnd(state)) return { tone: 'unpaid', status, say: l.endingSay }
  switch (state) {
    case 'started':
      return sentAt === null
        ? { tone: 'unpaid', status, say: l.newSay, form: 'consent' }
        : { tone: 'unpaid', status, say: l.says.started, form: 'go on' }
    case 'filled':
      return { tone: 'unpaid', status, say: l.says.filled }
    case 'final_approved':
      return { tone: 'paid', status, say: l.says.final_approved, form: 'go on' }
    case 'agreement_signed':
    case 'disbursed':
      return { tone: 'paid', status, say: l.says[state] }
    default:
      return endFace(state, l)
  }
}

/** It is over without a loan. */
function endFace(state: 'rejected' | 'canceled' | 'expired', l: CredWords): Face {
  const tone = state === 'rejected' ? 'failed' : state === 'canceled' ? 'cancelled' : 'expired'
  return { tone, status: l.states[state], say: l.says[state] }
}

function offerFace(scene: CredScene, face: Face, l: CredWords): Face {
  const { owedPaise, lender, isActive } = scene
  if (!isActive) return { ...face, tone: 'cancelled', status: l.nothing, say: l.leftSay }
  if (owedPaise === 0) return { ...face, tone: 'paid', status: l.nothing, say: l.nothingSay }
  if (owedPaise < lender.limits.leastPaise) return { ...face, status: l.nothing, say: l.littleSay }
  return { ...face, form: 'apply' }
}

/** Whether a parent may start one from here. */
export function canApply(scene: CredScene): boolean {
  return faceOf(scene, CRED_WORDS.en).form === 'apply'
}

/** Whether a new one can follow the one shown. */
export function canApplyAgain({ file, isParent, isActive, owedPaise, lender }: CredScene): boolean {
  const isFree = file !== null && isOver(file.application.state)
  return isParent && isFree && isActive && owedPaise >= lender.limits.leastPaise
}

export function canWithdraw({ file, isParent }: CredScene): boolean {
  if (file === null || !isParent) return false
  return canEnd(file.application.state) && file.application.ending === null
}

function figureOf(scene: CredScene, { form }: Face, l: CredWords): Record<string, unknown> {
  const { file, owedPaise } = scene
  if (form === 'apply') return { amount: formatRupees(mostOf(scene)), meaning: l.meaning }
  if (file === null) return owedPaise === 0 ? {} : { amount: formatRupees(owedPaise) }
  const { state, amountPaise } = file.application
  const meaning: Partial<Record<LoanState, string>> = {
    started: l.asked,
    filled: l.asked,
    final_approved: l.approved,
    agreement_signed: l.borrowed,
    disbursed: l.borrowed,
  }
  return meaning[state] === undefined ? {} : { amount: formatRupees(amountPaise), meaning: meaning[state] }
}

function alertOf({ problem }: CredScene, l: CredWords, facts: Facts): string | undefined {
  if (problem === 'away') return fill(l.tryLaterSay, facts)
  return problem === 'changed' ? l.problems.changed : undefined
}

type Step = { label: string; when: string; tone: string | undefined }

/** What has happened when, what is next, and what follows. */
function storyOf(application: Application, { institute, language }: CredScene, l: CredWords): Step[] {
  const { createdAt, filledAt, approvedAt, signedAt, endedAt, state } = application
  const moments: [keyof CredWords['steps'], Date | null][] = [
    ['started', createdAt],
    ['filled', filledAt],
    ['final_approved', approvedAt],
    ['agreement_signed', signedAt],
    ['disbursed', state === 'disbursed' ? endedAt : null],
  ]
  const done = moments.filter(([, at]) => at !== null)
  const isEnded = isOver(state) && state !== 'disbursed'
  const steps = (isEnded ? done : moments).map(([step, at], index): Step => {
    const label = fill(l.steps[step], { where: institute.name })
    if (at !== null) return { label, when: sayDay(dayOf(at), language), tone: 'paid' }
    const isNext = index === done.length
    return { label, when: isNext ? l.next : l.toCome, tone: isNext ? 'unpaid' : undefined }
  })
  if (!isEnded || endedAt === null) return steps
  return [...steps, { label: l.states[state], when: sayDay(dayOf(endedAt), language), tone: 'failed' }]
}

function tranchesOf({ tranches }: LoanFile, { language }: CredScene, l: CredWords) {
  return tranches.map(({ plannedOn, state, amountPaise, disbursedPaise }) => ({
    label: sayDay(plannedOn, language),
    note: l.tranches[state],
    tone: state === 'disbursed' ? 'paid' : state === 'failed' ? 'failed' : undefined,
    amount: formatRupees(disbursedPaise ?? amountPaise),
  }))
}

function costOf(amountPaise: Paise, { terms }: Lender, l: CredWords) {
  const emiPaise = emiOf(amountPaise, terms)
  const totalPaise = paiseOf(emiPaise * terms.months)
  return {
    caption: fill(l.costHead, { amount: formatRupees(amountPaise) }),
    rows: [
      { label: l.cost.rate, value: `${terms.yearlyRatePercent} %` },
      { label: l.cost.months, value: fill(l.cost.monthsValue, { count: String(terms.months) }) },
      { label: l.cost.emi, value: formatRupees(emiPaise) },
      { label: l.cost.interest, value: formatRupees(subtractPaise(totalPaise, amountPaise)) },
      { label: l.cost.other, value: l.cost.none },
    ],
    total: { label: l.cost.total, value: formatRupees(totalPaise) },
  }
}

function formOf(scene: CredScene, face: Face, l: CredWords, facts: Facts) {
  const { path, problem, wrote } = scene
  const say = (text: string): string => fill(text, facts)
  const isAmount = problem === 'amount' || problem === 'tooMuch' || problem === 'tooLittle'
  const consent = {
    text: say(l.consent),
    problem: problem === 'consent' ? l.problems.consent : undefined,
  }
  switch (face.form) {
    case undefined:
      return null
    case 'go on': {
      const isOffer = scene.file?.application.state === 'final_approved'
      return { action: `${path}/lender`, button: say(isOffer ? l.seeOffer : l.goOnThere) }
    }
    case 'consent':
      return { action: `${path}/lender`, button: say(l.goOn), consent }
    case 'apply':
      return {
        action: `${path}/start`,
        button: say(l.goOn),
        consent,
        amount: {
          value: wrote ?? String(mostOf(scene) / 100),
          hint: say(l.amountHint),
          problem: isAmount ? say(l.problems[problem]) : undefined,
        },
      }
    default:
      return assertNever(face.form)
  }
}
