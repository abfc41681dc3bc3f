/**
 * The `returning` of a statement that is its own transaction: it is answered before it is on disk. PostgreSQL's log has
 * one order, so the next commit that is waited for takes it along; without one it is there within a second. A power
 * failure in between undoes it and all that came after it, never what came before. So it is only for what is as good
 * as not heard when it is lost, and each use says why that is so.
 */
export function commitLater(columns = '1'): string {
  return `returning ${columns}, set_config('synchronous_commit', 'off', true)`
}
