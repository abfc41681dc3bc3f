import type { BursarError } from '../platform/errors.ts'

/** A success as a route states it; the envelope around it is the same everywhere. */
export type Success = {
  httpStatus: 200 | 201
  data?: unknown
  /** A remark for a person, such as what was sent and not applied. */
  message?: string | undefined
  page?: { hasMore: boolean; nextCursor: string | undefined }
}

export function ok(data?: unknown): Success {
  return { httpStatus: 200, data }
}

/** `data` is the page, or an object that has it in one of its fields. */
export function page(data: object, nextCursor: string | undefined): Success {
  return { httpStatus: 200, data, page: { hasMore: nextCursor !== undefined, nextCursor } }
}

/** The body as it goes over the wire; JSON leaves out what is undefined, so absent data is absent. */
export function successBody(success: Success): string {
  return JSON.stringify({
    status: 'success',
    data: success.data,
    message: success.message,
    has_more: success.page?.hasMore,
    next_cursor: success.page?.nextCursor,
  })
}

export function errorBody(error: BursarError, requestId: string): string {
  return JSON.stringify({
    status: 'error',
    code: error.code,
    message: error.message,
    errors: error.problems,
    data: error.data,
    request_id: requestId,
  })
}

export const JSON_TYPE = 'application/json; charset=utf-8'
