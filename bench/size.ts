/** How much a run does: long enough for figures to trust, or just enough to see that it still runs. */
export type Size = {
  /** How long each round loads. */
  seconds: number
  warmUpSeconds: number
  rounds: (usual: number) => number
  rows: (usual: number) => number
}

export function fullSize(seconds: number): Size {
  return { seconds, warmUpSeconds: 2, rounds: usual => usual, rows: usual => usual }
}

/** Its figures say nothing of speed. */
export const LEAST: Size = {
  seconds: 0.3,
  warmUpSeconds: 0,
  rounds: () => 1,
  rows: usual => Math.ceil(usual / 1_000),
}
