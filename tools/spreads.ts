/**
 * A lint rule against lists that are passed as arguments: each item takes room on the stack, and a list whose length
 * somebody else decides overflows it. `addAll`, `largestOf` and `smallestOf` of src/platform/lists.ts take any number.
 */
type Node = { type: string; name?: string; property?: Node; object?: Node; callee?: Node; arguments?: Node[] }
type RuleContext = { report(problem: { node: Node; message: string }): void }

const TAKING_ITEMS = ['push', 'unshift', 'splice', 'concat', 'max', 'min', 'fromCharCode', 'fromCodePoint']

export default {
  meta: { name: 'spreads' },
  rules: {
    'no-long-arguments': {
      create: (context: RuleContext) => ({
        CallExpression(node: Node) {
          const name = node.callee?.type === 'MemberExpression' ? node.callee.property?.name : undefined
          if (name === undefined || !TAKING_ITEMS.includes(name)) return
          if (!node.arguments?.some(({ type }) => type === 'SpreadElement')) return
          context.report({
            node,
            message: `${name}() gets each item as an argument on the stack. Use addAll, largestOf or smallestOf of platform/lists.ts.`,
          })
        },
      }),
    },
  },
}
