/**
 * The name of a schema in the reference, where it stands once and is referred to. It is carried along when a field
 * spreads the schema to describe what it holds there; it is no part of the schema itself.
 */
type Schema = Readonly<Record<string, unknown>>

const COMPONENT = Symbol('component')

export type Component = { readonly name: string; readonly schema: Schema }

export function nameComponent<Given extends object>(name: string, schema: Given): Given {
  return { ...schema, [COMPONENT]: { name, schema: schema as unknown as Schema } satisfies Component }
}

export function componentOf(schema: Schema): Component | undefined {
  return (schema as { [COMPONENT]?: Component })[COMPONENT]
}
