/** One match and its address. */
export type Hit = { id: string; title: string; note: string; go: () => void }
export type HitGroup = { name: string; hits: readonly Hit[] }
