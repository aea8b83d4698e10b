/** A request that the provider would refuse: its HTTP status and the fields of its error object. */
export interface Refusal {
  readonly status: number
  readonly message: string
  readonly type: string
  readonly param: string | null
  readonly code: string | null
}

/** Gives back a refusal of status 400 for a request that breaks a rule. */
export function invalidRequest(
  message: string,
  param: string | null,
  code: string | null = null,
): Refusal {
  return { status: 400, message, type: 'invalid_request_error', param, code }
}

/** Gives back the refusal as the provider sends it: `{ error: { message, type, param, code } }`. */
export function refusalResponse({ status, ...error }: Refusal): Response {
  return Response.json({ error }, { status })
}
