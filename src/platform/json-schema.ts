/** A JSON Schema, as it stands in the API reference. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The schema of an object that has all of these properties, but for the optional ones. */
export function objectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  { optional = [], ...about }: { optional?: readonly string[]; description?: string } = {},
): JsonSchema {
  const required = Object.keys(properties).filter(name => !optional.includes(name))
  return { type: 'object', required, properties, ...about }
}
