import type { InstituteVisit } from '../auth/roles.routes.ts'
import type { ExportFor } from '../reports/export.service.ts'

/** Who takes a list out of the process, and which. */
export function exportFor(call: InstituteVisit & { query: Record<string, unknown> }): ExportFor {
  const { format: _format, ...filters } = call.query
  return { instituteId: call.institute.id, actor: { who: call.who, origin: call.origin }, filters }
}

export function rangeOf(query: { cursor?: string; limit?: number }): {
  cursor: string | undefined
  limit: number
} {
  return { cursor: query.cursor, limit: query.limit ?? 50 }
}

/** Without the keys that hold nothing: absent data is absent. */
export function present<Value extends object>(
  value: Value,
): { [Key in keyof Value]: Exclude<Value[Key], null> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null)) as {
    [Key in keyof Value]: Exclude<Value[Key], null>
  }
}
