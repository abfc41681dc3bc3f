import type { JsonSchema } from '../../platform/json.rules.ts'

/** What an operation answers with, as the reference tells it: schema and example of an output in our envelope. */
export type AnswerDocs = {
  description: string
  /** The schema of `data`; absent when there is none. */
  data?: JsonSchema
  isList?: boolean
  /** An example of the `message` that may stand beside it. */
  remark?: string
  example: object
}

type Described = { readonly schema: JsonSchema; readonly example: unknown }

export function answer(description: string, output?: Described): AnswerDocs {
  if (output === undefined) return { description, example: { status: 'success' } }
  return { description, data: output.schema, example: { status: 'success', data: output.example } }
}

export function answerAll(description: string, output: Described): AnswerDocs {
  return {
    description,
    data: { type: 'array', items: output.schema },
    example: { status: 'success', data: [output.example] },
  }
}

/** The page and the `next_cursor` by which the next one is asked for. */
export function answerPage(output: Described): AnswerDocs {
  return {
    description: 'A page.',
    data: { type: 'array', items: output.schema },
    isList: true,
    example: { status: 'success', data: [output.example], has_more: true, next_cursor: cursorOf(output) },
  }
}

/** Outputs begin with the id of their noun, which is the cursor of most lists. */
function cursorOf({ example }: Described): string {
  const [first] = Object.values(example as object)
  return typeof first === 'string' ? first : 'next'
}
