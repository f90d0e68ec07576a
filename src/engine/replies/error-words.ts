/** The words of a name without what only style adds: `error_description` as `errordescription`. */
export const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Names of properties by what they hold, plain. */
export const names = {
  message:
    /^(error|user|developer|display|human(readable)?|long|short)?(message|msg|description|detail|details|reason|text|cause|summary|explanation)$/,
  title: /^(error)?(title|heading|label)$/,
  code: /^(error|app|application|machine)?(code|name|id|key|type|kind|error|slug|identifier|category|errors?code)$/,
  status: /^(http|error)?(status|statuscode|httpcode|code|errorcode|responsecode|httpstatuscode|error)$/,
  request: /^(x?request|correlation|trace|transaction|log|incident)(id|uid|uuid)?$/,
  time: /^(timestamp|time|date|datetime|at|occurredat|createdat|errordate)$/,
  list: /(errors?|details?|fields?|violations?|issues?|invalidparams?|faults?|causes?|messages?|problems?)$/,
  holder: /^(errors?|fault|problem|meta|status|exception|body|data|result|detail)$/,
  place:
    /^(path|field|fieldname|name|pointer|param|parameter|property|source|location|loc|key|attribute|target|in|jsonpath)$/,
}

/** Words by which documents name what the engine refuses, without case and marks. */
export const synonyms: Readonly<Record<string, readonly string[]>> = {
  invalid_request: [
    'badrequest',
    'invalid',
    'invalidinput',
    'invalidrequesterror',
    'validationerror',
    'validationfailed',
    'validation',
    'invalidparameter',
    'invalidargument',
    'clienterror',
  ],
  unauthenticated: [
    'unauthorized',
    'authenticationerror',
    'authenticationfailed',
    'authenticationrequired',
    'notauthenticated',
    'invalidcredentials',
    'accessdenied',
  ],
  insufficient_scope: [
    'forbidden',
    'permissiondenied',
    'accessdenied',
    'notauthorized',
    'permissionerror',
    'authorizationerror',
    'insufficientpermissions',
  ],
  api_key_banned: ['forbidden', 'permissiondenied', 'accessdenied'],
  address_banned: ['forbidden', 'permissiondenied', 'accessdenied'],
  not_found: ['resourcenotfound', 'notfounderror', 'missing'],
  operation_sunset: ['gone', 'notfound'],
  rate_limited: [
    'toomanyrequests',
    'ratelimit',
    'ratelimitexceeded',
    'ratelimiterror',
    'throttled',
    'resourceexhausted',
    'quotaexceeded',
  ],
  payload_too_large: ['requestentitytoolarge', 'contenttoolarge', 'badrequest', 'invalidrequest', 'invalid'],
  uri_too_long: ['badrequest', 'invalidrequest', 'invalid'],
  unsupported_media_type: ['unsupportedmedia', 'badrequest', 'invalidrequest', 'invalid'],
  internal_error: [
    'internalservererror',
    'internal',
    'servererror',
    'apierror',
    'unknown',
    'unexpectederror',
    'error',
  ],
  unavailable: [
    'serviceunavailable',
    'overloaded',
    'temporarilyunavailable',
    'internal',
    'internalerror',
    'servererror',
  ],
}
