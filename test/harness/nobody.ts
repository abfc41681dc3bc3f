/**
 * Where nobody listens. A port that was closed may be another test's a moment later; this one is
 * never handed out to a server that asks for any.
 */
export const NOBODY = '127.0.0.1:1'
