import { leavesNoChoice, mostOf, soleTotal, type PageState } from '../../payment-pages/pages.rules.ts'
import { lastMoment } from '../../platform/calendar.ts'
import { formatRupees } from '../../platform/money.ts'
import {
  detailInputs,
  lineInputs,
  nameOfLine,
  problemText,
  type Input,
  type PaymentPageData,
} from './form-inputs.ts'
import { fill } from '../../platform/languages.ts'
import { type PaymentPageTexts, textsIn } from '../texts/texts.ts'
import { localMoment } from '../../messages/words.ts'
import { schoolHead } from '../school-head.ts'

type PaymentPage = { title: string; status: number; data: Record<string, unknown> }

export function describePaymentPage(pageData: PaymentPageData): PaymentPage {
  const { institute, file, language } = pageData
  const { page, state } = file
  const texts = textsIn(language).paymentPage
  const names = { title: page.title, where: institute.name }
  if (state !== 'open') return describeShut(pageData, state, texts)
  const total = soleTotal(page)
  const form = pageData.takesPayments ? formOf(pageData, texts) : null
  const hasProblems = pageData.problems.length > 0
  return {
    title: fill(hasProblems ? texts.titleWithProblem : texts.title, names),
    status: hasProblems ? 422 : pageData.isBusy ? 429 : 200,
    data: {
      ...headOf(pageData),
      t: texts,
      heading: page.title,
      about: page.description ?? undefined,
      total: total === null ? undefined : formatRupees(total),
      costs: costsOf(pageData),
      until: untilOf(pageData, texts),
      away: form === null ? textsIn(language).checkout.awaySay : undefined,
      alert: pageData.isBusy ? texts.busy : undefined,
      form,
    },
  }
}

/** A page that takes no payments, with the reason. An unpublished page does not reveal its content. */
function describeShut(
  pageData: PaymentPageData,
  state: Exclude<PageState, 'open'>,
  texts: PaymentPageTexts,
): PaymentPage {
  const { institute, file, language } = pageData
  const { page } = file
  const { status, say } = texts.shut[state]
  const isHidden = state === 'unpublished'
  const when = page.closesAt === null ? '' : localMoment(lastMoment(page.closesAt), language)
  const names = { status, title: page.title, where: institute.name }
  return {
    title: isHidden ? `${status}: ${institute.name}` : fill(texts.titleWithStatus, names),
    status: isHidden ? 404 : 200,
    data: {
      ...headOf(pageData),
      t: texts,
      heading: isHidden ? status : page.title,
      shut: { statusText: isHidden ? undefined : status, say: fill(say, { when, where: institute.name }) },
      costs: [],
    },
  }
}

function headOf({ institute, file, isSandbox }: PaymentPageData) {
  const branch = institute.branches.find(({ collectorCode }) => collectorCode === file.page.collectorCode)
  return {
    ...schoolHead(institute),
    branch: institute.branches.length > 1 && file.state !== 'unpublished' ? branch?.name : undefined,
    isSandbox,
  }
}

/** The fixed lines, listed as on a bill. */
function costsOf({ file, language }: PaymentPageData) {
  return file.page.lines
    .filter(leavesNoChoice)
    .map(line => ({ label: nameOfLine(line, language), amount: formatRupees(mostOf(line)) }))
}

function untilOf({ file, language }: PaymentPageData, texts: PaymentPageTexts): string | undefined {
  const { closesAt } = file.page
  return closesAt === null
    ? undefined
    : fill(texts.until, { when: localMoment(lastMoment(closesAt), language) })
}

function formOf(pageData: PaymentPageData, texts: PaymentPageTexts) {
  const { file, problems, path, token } = pageData
  const lines = lineInputs(pageData, texts)
  const details = detailInputs(pageData, texts)
  const all: Input[] = [...lines, ...details].map((input, index) => ({ ...input, id: `f${index + 1}` }))
  // In the order of the page, so that the first link leads to the first invalid field.
  const found = all.flatMap(input => {
    const problem = problems.find(one => one.input === input.name)
    return problem === undefined ? [] : [{ input, text: problemText(problem, input, texts) }]
  })
  const textOf = (input: Input): string | undefined => found.find(one => one.input.name === input.name)?.text
  const shown = all.map(input => ({ ...input, problem: textOf(input) }))
  return {
    action: path,
    token,
    lines: shown.slice(0, lines.length),
    details: shown.slice(lines.length),
    problems: found.map(({ input, text }) => ({ id: input.id, text })),
    say: soleTotal(file.page) === null ? texts.goChosenSay : texts.goSay,
  }
}
