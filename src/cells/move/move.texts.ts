import { goesOnByItself, isRouted, type BackStep, type Step } from './move.rules.ts'
import type { Move } from './moves.store.ts'

/** What an operator reads while a school moves. */
export const STEP_TEXTS: Readonly<Record<Step | BackStep, string>> = {
  guard: 'Preparing the fence in both cells',
  publish: 'Publishing the rows of the school',
  subscribe: 'Subscribing to them in the new cell',
  catch_up: 'Copying',
  pause: 'Pausing the school',
  verify: 'Comparing both sides',
  leave: 'Taking the school out of the old cell',
  arrive: 'Letting it in at the new cell',
  route: 'Sending its callers there',
  audit: 'Checking the books on both sides',
  unsubscribe: 'Ending the replication',
  stash: 'Putting the old rows aside',
  release: 'Removing the fence',
  undo: 'Going back: the school stays where it is',
}

/** What an operator should know of a move that has not ended, and what to type; null: the old cell does not answer. */
export function describeOpen(move: Move & { hasLeft: boolean | null }): string {
  const { code, fromCell, toCell, step, problem, direction, hasLeft } = move
  const command = `bursar cells move ${code} --to ${toCell}`
  const why = problem === null ? '' : ` (${problem})`
  const stopped = `its move to ${toCell} stopped at ${step}${why}`
  if (direction === 'back')
    return `${code} stays in ${fromCell}: its way back from ${toCell} stopped${why}. End it: ${command} --back`
  if (hasLeft === null)
    return `${code} is on its way from ${fromCell} to ${toCell} (${step}), and ${fromCell} does not answer. When it does: ${command}`
  if (!hasLeft)
    return `${code} works in ${fromCell}; ${stopped}. Go on: ${command}; or end it: ${command} --back`
  const alone = goesOnByItself(move, hasLeft)
    ? 'bursar cells sync --watch goes on with it within seconds; or do so yourself'
    : 'Go on'
  if (!isRouted(move)) return `${code} is answered 503: ${stopped}. ${alone}: ${command}`
  return `${code} works in ${toCell}; ${stopped}. ${alone}: ${command}`
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
