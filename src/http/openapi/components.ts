import { componentOf } from '../wire/component.ts'

type Schema = Readonly<Record<string, unknown>>

/** The schemas that the document names: each stands once, and everything else refers to it. */
export class Components {
  readonly #schemas = new Map<string, { schema: Schema; text: string }>()

  /** What stands in place of a schema; an object that has no name of its own is called after its `place`. */
  refer(schema: Schema, place: string): Schema {
    if (schema['items'] !== undefined)
      return { ...schema, items: this.refer(schema['items'] as Schema, singular(place)) }
    if (schema['properties'] === undefined) return schema
    const component = componentOf(schema)
    const reference = this.#add(component?.name ?? place, component?.schema ?? schema)
    const description = schema['description']
    return component === undefined || description === component.schema['description']
      ? reference
      : { ...reference, description }
  }

  #add(name: string, schema: Schema): Schema {
    const properties = Object.entries(schema['properties'] as Record<string, Schema>)
    const whole = {
      ...schema,
      properties: Object.fromEntries(
        properties.map(([key, field]) => [key, this.refer(field, name + toPascal(key))]),
      ),
    }
    const text = JSON.stringify(whole)
    const known = this.#schemas.get(name)
    if (known !== undefined && known.text !== text)
      throw new Error(`two schemas of the reference are called ${name}`)
    if (known === undefined) this.#schemas.set(name, { schema: whole, text })
    return { $ref: `#/components/schemas/${name}` }
  }

  toJson(): Record<string, Schema> {
    const names = [...this.#schemas.keys()].sort()
    return Object.fromEntries(names.map(name => [name, this.#schemas.get(name)?.schema ?? {}]))
  }
}

export function toPascal(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map(part => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('')
}

function singular(name: string): string {
  return name.endsWith('s') && !/(ss|us)$/.test(name) ? name.slice(0, -1) : name
}
