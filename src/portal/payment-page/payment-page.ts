import { leavesNoChoice, mostOf, soleTotal, type PageState } from '../../payment-pages/pages.rules.ts'
import { formatRupees } from '../../platform/money.ts'
import {
  detailInputs,
  lineInputs,
  nameOfLine,
  sayProblem,
  type Input,
  type PaymentPageScene,
} from './payment-page-form.ts'
import { PAYMENT_PAGE_WORDS, type PaymentPageWords } from './payment-page.texts.ts'
import { sayMoment } from '../language.ts'
import { fill, WORDS } from '../checkout/checkout.texts.ts'

type PaymentPage = { title: string; status: number; data: Record<string, unknown> }

export function describePaymentPage(scene: PaymentPageScene): PaymentPage {
  const { institute, file, language } = scene
  const { page, state } = file
  const words = PAYMENT_PAGE_WORDS[language]
  const names = { title: page.title, where: institute.name }
  if (state !== 'open') return describeShut(scene, state, words)
  const total = soleTotal(page)
  const form = scene.takesPayments ? formOf(scene, words) : null
  const hasProblems = scene.problems.length > 0
  return {
    title: fill(hasProblems ? words.titleWithProblem : words.title, names),
    status: hasProblems ? 422 : scene.isBusy ? 429 : 200,
    data: {
      ...headOf(scene),
      t: words,
      heading: page.title,
      about: page.description ?? undefined,
      total: total === null ? undefined : formatRupees(total),
      costs: costsOf(scene),
      until: untilOf(scene, words),
      away: form === null ? WORDS[language].awaySay : undefined,
      alert: scene.isBusy ? words.busy : undefined,
      form,
    },
  }
}

/** No form: that the page takes no payments, and why. What is not published keeps its words to itself. */
function describeShut(
  scene: PaymentPageScene,
  state: Exclude<PageState, 'open'>,
  words: PaymentPageWords,
): PaymentPage {
  const { institute, file, language } = scene
  const { page } = file
  const { status, say } = words.shut[state]
  const isHidden = state === 'unpublished'
  const when = page.closesAt === null ? '' : sayMoment(page.closesAt, language)
  const names = { status, title: page.title, where: institute.name }
  return {
    title: isHidden ? `${status}: ${institute.name}` : fill(words.titleWithStatus, names),
    status: isHidden ? 404 : 200,
    data: {
      ...headOf(scene),
      t: words,
      heading: isHidden ? status : page.title,
      shut: { statusText: isHidden ? undefined : status, say: fill(say, { when, where: institute.name }) },
      costs: [],
    },
  }
}

function headOf({ institute, file, isSandbox }: PaymentPageScene) {
  const branch = institute.branches.find(({ collectorCode }) => collectorCode === file.page.collectorCode)
  return {
    institute: institute.name,
    branch: institute.branches.length > 1 && file.state !== 'unpublished' ? branch?.name : undefined,
    isSandbox,
  }
}

/** The lines that leave nothing to choose, as a bill has them. */
function costsOf({ file, language }: PaymentPageScene) {
  return file.page.lines
    .filter(leavesNoChoice)
    .map(line => ({ label: nameOfLine(line, language), amount: formatRupees(mostOf(line)) }))
}

function untilOf({ file, language }: PaymentPageScene, words: PaymentPageWords): string | undefined {
  const { closesAt } = file.page
  return closesAt === null ? undefined : fill(words.until, { when: sayMoment(closesAt, language) })
}

function formOf(scene: PaymentPageScene, words: PaymentPageWords) {
  const { file, problems, path, token } = scene
  const lines = lineInputs(scene, words)
  const details = detailInputs(scene, words)
  const all: Input[] = [...lines, ...details].map((input, index) => ({ ...input, id: `f${index + 1}` }))
  // In the order of the page, so that the first link leads to the first field.
  const found = all.flatMap(input => {
    const problem = problems.find(one => one.input === input.name)
    return problem === undefined ? [] : [{ input, text: sayProblem(problem, input, words) }]
  })
  const textOf = (input: Input): string | undefined => found.find(one => one.input.name === input.name)?.text
  const shown = all.map(input => ({ ...input, problem: textOf(input) }))
  return {
    action: path,
    token,
    lines: shown.slice(0, lines.length),
    details: shown.slice(lines.length),
    problems: found.map(({ input, text }) => ({ id: input.id, text })),
    say: soleTotal(file.page) === null ? words.goChosenSay : words.goSay,
  }
}
