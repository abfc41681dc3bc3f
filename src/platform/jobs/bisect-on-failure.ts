import { isMoving, isUnavailable } from '../errors.ts'
import { forEachSettled } from '../for-each-settled.ts'

/**
 * Does all of them at once, as nearly always; when that fails, each half by itself, and so on, so that one that fails
 * keeps nobody waiting but itself. A database that is away fails all of them, and is not asked so often. What is of a school
 * that is just moving has not failed: that is thrown when the others are done.
 */
export async function bisectOnFailure<Item>(
  items: readonly Item[],
  act: (some: readonly Item[]) => Promise<void>,
  onFailure: (item: Item, error: unknown) => Promise<void>,
): Promise<void> {
  const [first, ...others] = items
  if (first === undefined) return
  try {
    await act(items)
  } catch (error) {
    if (isUnavailable(error) && (!isMoving(error) || others.length === 0)) throw error
    if (others.length === 0) return onFailure(first, error)
    const half = Math.ceil(items.length / 2)
    await forEachSettled([items.slice(0, half), items.slice(half)], some =>
      bisectOnFailure(some, act, onFailure),
    )
  }
}
