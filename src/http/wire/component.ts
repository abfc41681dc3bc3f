import type { JsonSchema } from '../../platform/json.rules.ts'

const COMPONENT = Symbol('component')

export type Component = { readonly name: string; readonly schema: JsonSchema }

/**
 * Gives a schema its name in the reference, where it stands once and is referred to. The name is carried along when a
 * field spreads the schema to describe what it holds there; it is no part of the schema itself.
 */
export function nameComponent<Given extends object>(name: string, schema: Given): Given {
  return { ...schema, [COMPONENT]: { name, schema: schema as unknown as JsonSchema } satisfies Component }
}

export function componentOf(schema: JsonSchema): Component | undefined {
  return (schema as { [COMPONENT]?: Component })[COMPONENT]
}
