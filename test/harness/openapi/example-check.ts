import { formats } from '../../../src/http/wire/formats.ts'
import type { Json } from '../client.ts'

/** In what an example differs from its schema, where a field that it lacks or has too many is a difference. */
export function flawsOf(schema: Json, value: Json, at: string): string[] {
  if (schema.anyOf !== undefined) {
    const fits = schema.anyOf.some((option: Json) => flawsOf(option, value, at).length === 0)
    return fits ? [] : [`${at} fits none of its alternatives`]
  }
  const types: string[] = [schema.type ?? []].flat()
  if (types.length > 0 && !types.some(type => isOfType(type, value)))
    return [`${at} is ${JSON.stringify(value)}, not ${types.join(' or ')}`]
  if (Array.isArray(value)) return flawsOfList(schema, value, at)
  if (typeof value === 'object' && value !== null) return flawsOfFields(schema, value, at)
  return isAllowed(schema, value) ? [] : [`${at} may not be ${JSON.stringify(value)}`]
}

function flawsOfList(
  { items, minItems = 0, maxItems = Infinity }: Json,
  value: Json[],
  at: string,
): string[] {
  if (value.length < Math.max(minItems, 1) || value.length > maxItems)
    return [`${at} has ${value.length} items`]
  return items === undefined ? [] : value.flatMap((item, no) => flawsOf(items, item, `${at}.${no}`))
}

function flawsOfFields({ properties }: Json, value: Record<string, Json>, at: string): string[] {
  if (properties === undefined) return []
  const missing = Object.keys(properties).filter(name => !Object.hasOwn(value, name))
  const wrong = Object.entries(value).flatMap(([name, field]) =>
    properties[name] === undefined
      ? [`${at}.${name} is not in the schema`]
      : flawsOf(properties[name], field, `${at}.${name}`),
  )
  return [...missing.map(name => `${at}.${name} is missing`), ...wrong]
}

function isAllowed(schema: Json, value: Json): boolean {
  if ('const' in schema) return value === schema.const
  if (schema.enum !== undefined) return schema.enum.includes(value)
  if (schema.format !== undefined && formats[schema.format]?.read(value) === null) return false
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value)) return false
  if (typeof value === 'string')
    return value.length >= (schema.minLength ?? 0) && value.length <= (schema.maxLength ?? Infinity)
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity } = schema
  return typeof value !== 'number' || (value >= minimum && value <= maximum && value > exclusiveMinimum)
}

function isOfType(type: string, value: Json): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}
