import { type Field, fieldsOf, resolve } from '../openapi/fields.ts'
import type { DocsPage } from './guides.ts'

type Json = Readonly<Record<string, unknown>>
type Media = { schema: Json; example?: unknown; examples?: { answer: { value: unknown } } }
type Answer = { content?: Record<string, Media> }
type Parameter = { name: string; in: string; required: boolean; description: string; schema: Json }
type Operation = {
  operationId: string
  summary: string
  description: string
  tags: readonly string[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Json>
}
type Called = { title: string; operation: Operation }

export const REFERENCE = '/docs/reference/'

/** The reference as texts, a page for each subject: what an operation takes and answers, every field, an example of both. */
export function referencePages(document: Json): DocsPage[] {
  const called = [
    ...calls(
      document['paths'],
      (method, path, name) => `\`${method.toUpperCase()} ${path}\`, operation \`${name}\``,
    ),
    ...calls(document['webhooks'], (_method, code) => `\`${code}\`, sent to your webhook`),
  ]
  return (document['tags'] as { name: string; description: string }[]).map(({ name, description }) => {
    const operations = called.filter(({ operation }) => operation.tags.includes(name))
    const parts = operations.map(one => writeOperation(document, one))
    return {
      address: REFERENCE + name.toLowerCase().replaceAll(' ', '-'),
      title: name,
      text: `${[`# ${name}`, description, ...parts].join('\n\n')}\n`,
    }
  })
}

function calls(paths: unknown, entitle: (method: string, path: string, name: string) => string): Called[] {
  return Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      title: entitle(method, path, operation.operationId),
      operation,
    })),
  )
}

function writeOperation(document: Json, { title, operation }: Called): string {
  const { summary, description, parameters = [], requestBody, responses } = operation
  const successes = Object.entries(responses).filter(([status]) => status < '300')
  const errors = Object.keys(responses).filter(status => status >= '300')
  return [
    `## ${summary}`,
    title,
    ...(description === summary ? [] : [description]),
    ...writeList('Parameters', parameters.map(writeParameter)),
    ...(requestBody === undefined ? [] : writeContents(document, 'Body', requestBody.content)),
    ...successes.flatMap(([status, answer]) => {
      const { content = {} } = resolve(document, answer) as Answer
      return writeContents(document, `Answer ${status}`, content)
    }),
    ...(errors.length === 0 ? [] : [`Errors: ${errors.join(', ')}; [what to do](/docs/guides/errors.md).`]),
  ].join('\n\n')
}

function writeContents(document: Json, title: string, content: Record<string, Media>): string[] {
  return Object.entries(content).flatMap(([type, { schema, example, examples }]) => {
    const fields = fieldsOf(document, schema).map(field => writeField(field))
    const shown = example ?? examples?.answer.value
    return [
      ...writeList(`${title}, \`${type}\``, fields.length === 0 ? ['- A file.'] : fields),
      ...(shown === undefined ? [] : [`\`\`\`json\n${JSON.stringify(shown, null, 2)}\n\`\`\``]),
    ]
  })
}

function writeList(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`**${title}**`, lines.join('\n')]
}

function writeParameter({ name, in: place, required, description, schema }: Parameter): string {
  return writeField({ path: name, schema: { ...schema, description }, isRequired: required }, `in ${place}`)
}

function writeField({ path, schema, isRequired }: Field, place = ''): string {
  const { type, enum: values, format, description } = schema
  const words = [[type].flat().join(' or '), format, place, isRequired ? 'required' : ''].filter(Boolean)
  const allowed = Array.isArray(values)
    ? `One of ${values.map(value => `\`${String(value)}\``).join(', ')}.`
    : ''
  const text = [((description as string | undefined) ?? '').replaceAll('\n', ' '), allowed]
    .filter(Boolean)
    .join(' ')
  return `- \`${path}\` (${words.join(', ')})${text && `: ${text}`}`
}
