import type { StructureAnswer } from '../../../../../src/fees/structures/structure.schemas.ts'
import { readable } from '../../../ui/words.ts'
import { plainAmount } from '../../../ui/form/amount.ts'

/** A fee structure as it is being edited: what people type, before it is checked. */
export type Draft = {
  terms: { name: string; due_date: string }[]
  /** Names between commas, in the school's own order. */
  heads: string
  grades: string
  /** Amounts by `cellKey`. */
  amounts: Record<string, string>
  concessions: RuleDraft[]
}

export type RuleDraft = {
  discount_type: string
  kind: 'sibling' | 'category'
  child: string
  category: string
  heads: string
  percent: string
  amount: string
}

export function cellKey(grade: string, head: string, term: number): string {
  return JSON.stringify([grade, head, term])
}

export function toDraft(structure: StructureAnswer, known: { grades: string[]; heads: string[] }): Draft {
  const { terms, fee_heads: heads, grades, amounts, concessions } = structure
  return {
    terms: terms.length > 0 ? terms : [{ name: 'Term 1', due_date: '' }],
    heads: (heads.length > 0 ? heads : known.heads).map(readable).join(', '),
    grades: (grades.length > 0 ? grades : known.grades).join(', '),
    amounts: Object.fromEntries(
      amounts.map(one => [cellKey(one.grade, one.component_type, one.term), String(one.amount)]),
    ),
    concessions: concessions.map(rule => ({
      discount_type: rule.discount_type,
      kind: rule.kind,
      child: String(rule.child ?? 2),
      category: rule.category ?? '',
      heads: rule.fee_heads.map(readable).join(', '),
      percent: rule.percent === undefined ? '' : String(rule.percent),
      amount: rule.amount === undefined ? '' : String(rule.amount),
    })),
  }
}

/** Splits a text at its commas; each part comes once. */
export function namesOf(list: string): string[] {
  const names = list.split(',').map(name => name.trim())
  return [...new Set(names.filter(name => name !== ''))]
}

/** "Tuition fee" is TUITION_FEE; a code that the school has in another form stays as it is. */
export function headsOf(list: string, known: readonly string[]): string[] {
  return namesOf(list).map(name => {
    const code = name
      .toUpperCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
      .replaceAll(/^_|_$/g, '')
    return known.find(one => one === name || readable(one) === name) ?? code
  })
}

/** Makes the request; cells of classes and fees that were taken out are left behind. */
export function toSent(draft: Draft, known: readonly string[]) {
  const [heads, grades] = [headsOf(draft.heads, known), namesOf(draft.grades)]
  const cells = grades.flatMap(grade =>
    heads.flatMap(head =>
      draft.terms.flatMap((_, index) => {
        const amount = plainAmount(draft.amounts[cellKey(grade, head, index + 1)] ?? '')
        return amount === '' ? [] : [{ grade, component_type: head, term: index + 1, amount }]
      }),
    ),
  )
  return {
    terms: draft.terms,
    fee_heads: heads,
    grades,
    amounts: cells,
    concessions: draft.concessions.map(rule => ({
      discount_type: rule.discount_type,
      kind: rule.kind,
      ...(rule.kind === 'sibling' ? { child: Number(rule.child) } : { category: rule.category }),
      fee_heads: headsOf(rule.heads, heads),
      ...(rule.percent === ''
        ? { amount: plainAmount(rule.amount) || undefined }
        : { percent: Number(rule.percent) }),
    })),
  }
}

export type SentStructure = ReturnType<typeof toSent>

/** What the server finds wrong, by the field that it is about. */
export type Flaws = {
  grades?: string
  heads?: string
  /** Problems by `terms.0.name`, `concessions.1.percent`: the place in the form and the name on the wire. */
  fields: Record<string, string>
  /** Problems by `cellKey`. */
  cells: Record<string, string>
  /** Problems that belong to no field of the form. */
  others: string[]
}

/** The server counts what it was sent, where empty cells are left out. */
export function flawsOf(
  problems: readonly { key: string; message: string }[],
  sent: SentStructure | undefined,
): Flaws {
  const flaws: Flaws = { fields: {}, cells: {}, others: [] }
  for (const { key, message } of problems) {
    const [list = '', no = ''] = key.split('.')
    const cell = list === 'amounts' ? sent?.amounts[Number(no)] : undefined
    if (cell !== undefined)
      flaws.cells[cellKey(cell.grade, cell.component_type, cell.term)] = capital(message)
    else if (list === 'grades') flaws.grades = `${sent?.grades[Number(no)] ?? 'A class'} ${message}`
    else if (list === 'fee_heads')
      flaws.heads = `${readable(sent?.fee_heads[Number(no)] ?? 'a fee')} ${message}`
    else if (list === 'terms' || list === 'concessions')
      flaws.fields[key.split('.').slice(0, 3).join('.')] = capital(message)
    else flaws.others.push(capital(message))
  }
  return flaws
}

function capital(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1)
}
