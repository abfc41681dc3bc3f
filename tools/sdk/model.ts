/** What the generators of the clients read from the OpenAPI document: operations and types, without the document's form. */
export type Type =
  | { kind: 'text' | 'integer' | 'long' | 'amount' | 'flag' | 'any' }
  | { kind: 'enum'; values: readonly string[] }
  | { kind: 'list' | 'map' | 'nullable'; of: Type }
  | { kind: 'ref'; name: string }

export type Field = { name: string; type: Type; isRequired: boolean; description: string }

export type ObjectType = {
  name: string
  description: string
  fields: Field[]
  /** Sent by the caller: its values are ours to know. Others may have values that are added later. */
  isInput: boolean
}

export type Operation = {
  id: string
  method: string
  path: string
  summary: string
  params: Field[]
  query: Field[]
  body: { type: string; isRequired: boolean } | null
  /** Takes a file of one of these types as its body. */
  fileTypes: string[]
  result: { kind: 'nothing' | 'file' } | { kind: 'one'; of: Type } | { kind: 'page'; of: Type }
}

export type Model = {
  operations: Operation[]
  types: ObjectType[]
  /** The type of each event by its code. */
  events: { code: string; type: string }[]
  /** Names under which every number is an amount of rupees. */
  amounts: string[]
}

// The document is read as what it is: JSON.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

export function readModel(document: Json): Model {
  const schemas: Record<string, Json> = document.components.schemas
  const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, one]) =>
      readOperation(method.toUpperCase(), path, one, schemas),
    ),
  )
  const types = Object.entries(schemas)
    .filter(([name]) => name !== 'Error' && name !== 'FieldProblem' && !name.endsWith('Envelope'))
    .map(([name, schema]) => readObject(name, schema))
  const events = Object.entries<Json>(document.webhooks).map(([code, { post }]) => ({
    code,
    type: nameOf(post.requestBody.content['application/json'].schema.$ref),
  }))
  refuseInputsAsAnswers(operations, types)
  return { operations, types, events, amounts: readAmounts(types) }
}

/** Bodies are known by their names, and are written differently: an answer of such a name would not compile everywhere. */
function refuseInputsAsAnswers(operations: readonly Operation[], types: readonly ObjectType[]): void {
  const inputs = new Set(types.filter(({ isInput }) => isInput).map(({ name }) => name))
  for (const { id, result } of operations) {
    const of = 'of' in result ? result.of : null
    const item = of?.kind === 'list' ? of.of : of
    if (item?.kind === 'ref' && inputs.has(item.name))
      throw new Error(`${id} answers with ${item.name}, which is called as bodies are: name it otherwise`)
  }
}

function readOperation(method: string, path: string, one: Json, schemas: Record<string, Json>): Operation {
  const parameters: Json[] = one.parameters ?? []
  const fieldsIn = (place: string): Field[] =>
    parameters
      .filter(parameter => parameter.in === place)
      .map(({ name, schema, required, description }) => ({
        name,
        type: readType(schema),
        isRequired: required,
        description,
      }))
  const json = one.requestBody?.content['application/json']
  const body =
    json === undefined
      ? null
      : { type: nameOf(json.schema.$ref), isRequired: one.requestBody.required === true }
  return {
    id: one.operationId,
    method,
    path,
    summary: one.summary,
    params: fieldsIn('path'),
    query: fieldsIn('query').filter(({ name }) => name !== 'cursor'),
    body,
    fileTypes:
      one.requestBody === undefined || json !== undefined ? [] : Object.keys(one.requestBody.content),
    result: readResult(one.responses['200'] ?? one.responses['201'], schemas),
  }
}

function readResult({ content }: Json, schemas: Record<string, Json>): Operation['result'] {
  const json = content['application/json']
  if (json === undefined) return { kind: 'file' }
  const { properties } = schemas[nameOf(json.schema.$ref)]
  if (properties.data === undefined) return { kind: 'nothing' }
  const of = readType(properties.data)
  return properties.has_more !== undefined && of.kind === 'list'
    ? { kind: 'page', of: of.of }
    : { kind: 'one', of }
}

function readObject(name: string, schema: Json): ObjectType {
  const required = new Set(schema.required)
  return {
    name,
    description: schema.description ?? '',
    isInput: /Request|Input$/.test(name),
    fields: Object.entries<Json>(schema.properties ?? {}).map(([field, one]) => ({
      name: field,
      type: readType(one),
      isRequired: required.has(field),
      description: one.description ?? '',
    })),
  }
}

function readType(schema: Json): Type {
  if (schema.$ref !== undefined) return { kind: 'ref', name: nameOf(schema.$ref) }
  const types: string[] = [schema.type ?? []].flat()
  if (types.includes('null')) {
    const type = types.find(one => one !== 'null')
    return { kind: 'nullable', of: readType({ ...schema, type }) }
  }
  if (schema.const !== undefined) return { kind: 'enum', values: [schema.const] }
  if (schema.enum !== undefined) return { kind: 'enum', values: schema.enum }
  switch (types[0]) {
    case 'string':
      return { kind: 'text' }
    case 'number':
      return { kind: 'amount' }
    case 'integer':
      return { kind: schema.format === 'int64' ? 'long' : 'integer' }
    case 'boolean':
      return { kind: 'flag' }
    case 'array':
      return { kind: 'list', of: readType(schema.items ?? {}) }
    case 'object':
      return { kind: 'map', of: readType(schema.additionalProperties ?? {}) }
    default:
      return { kind: 'any' }
  }
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/** A client knows an amount by its name alone; so no other number may have that name. */
function readAmounts(types: readonly ObjectType[]): string[] {
  const fields = types.filter(({ isInput }) => !isInput).flatMap(({ fields }) => fields)
  const amounts = new Set(fields.filter(({ type }) => type.kind === 'amount').map(({ name }) => name))
  const mixed = fields.filter(({ name, type }) => amounts.has(name) && /^(integer|long|map)$/.test(type.kind))
  if (mixed.length > 0)
    throw new Error(`amounts and other numbers are called ${mixed.map(({ name }) => name).join(', ')}`)
  return [...amounts].sort()
}
