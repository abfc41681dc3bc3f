import type { CommonTableExpr, Node, ResTarget } from 'libpg-query'

export function aliasesOf({ aliascolnames }: CommonTableExpr): string[] {
  return stringsOf(aliascolnames)
}

export function stringsOf(nodes: readonly Node[] | undefined): string[] {
  return (nodes ?? []).flatMap(node => ('String' in node ? [node.String.sval ?? ''] : []))
}

/** Of a row its items, of anything else itself. */
export function itemsOf(node: Node | undefined): readonly Node[] {
  if (node === undefined) return []
  return 'RowExpr' in node ? (node.RowExpr.args ?? []) : [node]
}

export function nameOf(node: Node | undefined): string {
  return node !== undefined && 'ColumnRef' in node ? (stringsOf(node.ColumnRef.fields).at(-1) ?? '') : ''
}

/** The relation of `o.*`, an empty text for `*`; null for anything else. */
export function starOf({ val }: ResTarget): string | null {
  if (val === undefined || !('ColumnRef' in val)) return null
  const isStar = (val.ColumnRef.fields ?? []).some(field => 'A_Star' in field)
  return isStar ? (stringsOf(val.ColumnRef.fields)[0] ?? '') : null
}
