import { parseRegExpLiteral } from '@eslint-community/regexpp'
import { analyse, type Report } from 'scslre'

/**
 * A lint rule against regular expressions whose time grows faster than the text that they read: a field of a few
 * kilobytes would keep the process busy for seconds, and with it every other request.
 */
type RegexNode = { regex?: { pattern: string; flags: string } | null; raw?: string | null }
type RuleContext = { report(problem: { node: RegexNode; message: string }): void }

/** What is slow about it, or null. */
export function slowness(source: string): string | null {
  const { reports } = analyse(parseRegExpLiteral(source), { maxReports: 1 })
  const [first] = reports
  return first === undefined ? null : describe(first)
}

function describe({ type, exponential, character }: Report): string {
  const growth = exponential ? 'exponentially' : 'quadratically'
  const how =
    type === 'Move' ? 'it is tried again from every place' : 'the text can be split between its repetitions'
  return `slows down ${growth} on a run of ${JSON.stringify(character.pick)}: ${how}`
}

export default {
  meta: { name: 'regexes' },
  rules: {
    'linear-time': {
      create: (context: RuleContext) => ({
        Literal(node: RegexNode) {
          if (node.regex === null || node.regex === undefined) return
          const slow = slowness(`/${node.regex.pattern}/${node.regex.flags}`)
          if (slow !== null) context.report({ node, message: `This regular expression ${slow}.` })
        },
      }),
    },
  },
}
