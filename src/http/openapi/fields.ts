type Schema = Readonly<Record<string, unknown>>
export type Field = { path: string; schema: Schema; isRequired: boolean }

/** The fields of a schema of the OpenAPI document, also those further in: `details[].amount`. */
export function fieldsOf(document: Schema, schema: Schema, above = ''): Field[] {
  const { properties, required = [], items } = resolve(document, schema)
  if (items !== undefined) return fieldsOf(document, items as Schema, `${above}[]`)
  const names = new Set(required as string[])
  return Object.entries((properties ?? {}) as Record<string, Schema>).flatMap(([name, field]) => {
    const path = above === '' ? name : `${above}.${name}`
    const own = { path, schema: resolve(document, field), isRequired: names.has(name) }
    return [own, ...fieldsOf(document, field, path)]
  })
}

/** The schema that a reference names; what stands beside the reference counts more. */
export function resolve(document: Schema, { $ref, ...rest }: Schema): Schema {
  if (typeof $ref !== 'string') return rest
  const target = $ref
    .slice('#/'.length)
    .split('/')
    .reduce<Schema>((at, part) => at[part] as Schema, document)
  return { ...resolve(document, target), ...rest }
}
