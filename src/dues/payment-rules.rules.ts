import type { FieldProblem } from '../platform/errors.ts'
import type { LateFeeRule, Slab } from './dues.rules.ts'
import { addAll } from '../platform/lists.ts'

const MOST_RULES = 50

/** What is wrong with a set of rules as sent, by field. */
export function ruleProblems(rules: readonly Omit<LateFeeRule, 'id'>[], path: string): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (rules.length > MOST_RULES) problems.push({ key: path, message: `can be at most ${MOST_RULES}` })
  const seen = new Set<string | null>()
  for (const [index, rule] of rules.entries()) {
    if (seen.has(rule.componentType)) {
      const what = rule.componentType === null ? 'a rule for all other components' : 'this component'
      problems.push({ key: `${path}.${index}.component_type`, message: `${what} stands twice` })
    }
    seen.add(rule.componentType)
    if (rule.charge.kind === 'slab')
      addAll(problems, slabProblems(rule.charge.slabs, `${path}.${index}.slabs`))
  }
  return problems
}

function slabProblems(slabs: readonly Slab[], path: string): FieldProblem[] {
  if (slabs.length === 0) return [{ key: path, message: 'must name at least one slab' }]
  return slabs.flatMap((slab, index) => {
    const before = slabs[index - 1]
    if (before === undefined || (slab.fromDay > before.fromDay && slab.amountPaise >= before.amountPaise))
      return []
    return [
      { key: `${path}.${index}`, message: 'must begin on a later day than the one before and not cost less' },
    ]
  })
}
