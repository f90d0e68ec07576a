import type { Reader, Severity } from './change.ts'

/** The effect of a change on clients, with the reason. */
type Verdict = readonly [severity: Severity, why: string]

const verdicts = {
  // servers
  'server-removed': ['breaking', 'clients that call it get no answer'],
  'server-added': ['info', 'clients need not use it'],
  'server-variable-removed': ['breaking', 'clients that set it call a wrong address'],
  'server-variable-default-changed': ['warning', 'clients that rely on it call another address'],
  'server-variable-value-removed': ['breaking', 'clients that use it get no answer'],
  'server-variable-value-added': ['info', 'clients need not use it'],
  // operations and their lives
  'operation-removed': ['breaking', 'clients that call it fail'],
  'operation-moved': ['breaking', 'clients that call the old path fail'],
  'operation-added': ['info', 'clients need not use it'],
  'operation-id-changed': ['breaking', 'generated clients name their methods after it'],
  'operation-id-changed/first': ['info', 'generated clients name their methods after it'],
  'successor-changed': ['info', 'clients may use another operation'],
  'stability-lowered': ['breaking', 'clients rely on the old promise'],
  'stability-raised': ['info', 'the new promise is stronger'],
  deprecated: ['info', 'it works until its sunset'],
  'deprecated/endless': ['info', 'it still works'],
  'deprecation-withdrawn': ['info', 'it stays'],
  'sunset-removed': ['breaking', 'nobody knows how long it works'],
  'sunset-missing': ['breaking', 'nobody knows how long it works'],
  'sunset-earlier': ['breaking', 'clients plan for the promised day'],
  'sunset-too-soon': ['breaking', 'clients need time to move'],
  'sunset-later': ['info', 'it works longer'],
  'sunset-added': ['info', 'it works until its sunset'],
  // access
  'security-added': ['breaking', 'clients that have access now are refused'],
  'security-changed': ['breaking', 'clients that have access now are refused'],
  'security-relaxed': ['info', 'more clients have access'],
  'callback-security-changed': ['breaking', 'clients that check the caller refuse it'],
  'callback-security-raised': ['info', 'clients need not check it'],
  'scope-added': ['breaking', 'keys that may call it now are refused'],
  'scope-changed': ['breaking', 'keys that may call it now are refused'],
  'scope-removed': ['info', 'more keys may call it'],
  'quota-counted': ['breaking', 'clients reach their limits sooner'],
  'quota-free': ['info', 'clients can do more'],
  // what is sent
  'parameter-added': ['info', 'clients need not read it'],
  'request-body-added': ['info', 'clients need not read it'],
  'header-added': ['info', 'clients need not read it'],
  'required-parameter-added': ['breaking', 'existing clients do not send it'],
  'required-request-body-added': ['breaking', 'existing clients do not send it'],
  'required-header-added': ['breaking', 'existing clients do not send it'],
  'parameter-became-required': ['info', 'clients always find it'],
  'request-body-became-required': ['info', 'clients always find it'],
  'header-became-required': ['info', 'clients always find it'],
  'parameter-became-optional': ['breaking', 'clients that read it may find nothing'],
  'request-body-became-optional': ['breaking', 'clients that read it may find nothing'],
  'header-became-optional': ['breaking', 'clients that read it may find nothing'],
  'parameter-form-widened': ['breaking', 'clients may get values that the old document excludes'],
  'parameter-form-narrowed': ['info', 'existing clients still work'],
  'type-widened': ['breaking', 'clients may get values that the old document excludes'],
  'parameter-moved': ['breaking', 'clients read it where it is not sent'],
  'parameter-removed': ['breaking', 'clients that read it find nothing'],
  'parameter-style-changed': ['breaking', 'sender and reader encode lists and objects differently'],
  'request-body-removed': ['breaking', 'clients that read it find nothing'],
  'encoding-changed': ['breaking', 'sender and reader encode parts differently'],
  'media-type-removed': ['breaking', 'clients that read it get something else'],
  'media-type-narrowed': ['info', 'existing clients still work'],
  'media-type-added': ['breaking', 'clients may get it without asking for it'],
  'media-type-added/asked': ['warning', 'clients that ask for no type may get it'],
  // what is answered
  'header-removed': ['breaking', 'clients that read it find nothing'],
  'status-removed': ['breaking', 'clients that expect it get another answer'],
  'status-added': ['warning', 'clients that expect another success may not understand it'],
  'status-removed/error': ['warning', 'clients that act on it never get it'],
  'status-added/error': ['info', 'clients treat an unknown error by its class'],
  'code-removed': ['warning', 'clients that act on it never get it'],
  'code-added': ['warning', 'clients that do not know it use the status'],
  'code-named': ['info', 'clients can act on it'],
  'effect-removed': ['warning', 'clients that rely on it find something else'],
  'effect-added': ['warning', 'clients that do not expect it find something else'],
  // where a reply leads
  'link-removed': ['warning', 'clients that follow it have no target'],
  'link-added': ['info', 'clients need not follow it'],
  'link-target-changed': ['warning', 'clients that follow it do something else'],
  'link-server-changed': ['warning', 'clients that follow it call another address'],
  'link-value-removed': ['warning', 'clients that follow it lack a value to send'],
  'link-value-changed': ['warning', 'clients that follow it send something else'],
  'link-value-added': ['info', 'the change of the operation has a verdict of its own'],
  // what comes back
  'callback-removed': ['breaking', 'clients that wait for it never get it'],
  'callback-moved': ['breaking', 'clients are called elsewhere, or not at all'],
  'callback-changed': ['warning', 'clients may be called elsewhere'],
  'callback-added': ['info', 'clients that do not give its address do not get it'],
  'callback-added/known': ['warning', 'clients that gave their address for another get it too'],
  'webhook-removed': ['breaking', 'clients that wait for it never get it'],
  'webhook-added': ['info', 'clients that do not ask for it do not get it'],
  // what is promised for the whole
  'bound-lower': ['breaking', 'clients within the bound are refused'],
  'bound-higher': ['info', 'clients can send more'],
  'lifetime-shorter': ['breaking', 'clients rely on it for longer'],
  'lifetime-longer': ['info', 'clients can rely on it for longer'],
  'version-bump': ['version', 'clients rely on the version number'],
  'version-backwards': ['version', 'clients rely on the version number'],
} satisfies Record<string, Verdict>

/** The verdicts that differ for values that clients send and the service reads. */
const inRequests: Partial<Record<Rule, Verdict>> = {
  'parameter-added': ['info', 'clients need not send it'],
  'request-body-added': ['info', 'clients need not send it'],
  'header-added': ['info', 'clients need not send it'],
  'parameter-became-required': ['breaking', 'clients that leave it out are refused'],
  'request-body-became-required': ['breaking', 'clients that leave it out are refused'],
  'header-became-required': ['breaking', 'clients that leave it out are refused'],
  'parameter-became-optional': ['info', 'clients may leave it out'],
  'request-body-became-optional': ['info', 'clients may leave it out'],
  'header-became-optional': ['info', 'clients may leave it out'],
  'parameter-form-widened': ['info', 'existing clients still work'],
  'parameter-form-narrowed': ['breaking', 'the service may refuse values that clients send'],
  'type-widened': ['info', 'existing clients still work'],
  'parameter-moved': ['breaking', 'clients send it where it is not read'],
  'parameter-removed': ['breaking', 'the service refuses or misreads requests that send it'],
  'request-body-removed': ['breaking', 'the service no longer reads it'],
  'media-type-removed': ['breaking', 'clients that send it are refused'],
  'media-type-added': ['info', 'clients may send it'],
  'media-type-added/asked': ['info', 'clients may send it'],
  'header-removed': ['warning', 'the service no longer reads it'],
  'status-removed': ['breaking', 'the service does not understand clients that answer it'],
  'status-added': ['info', 'clients need not answer it'],
  'status-removed/error': ['warning', 'the service treats it as any error of its class'],
  'status-added/error': ['info', 'clients need not answer it'],
}

/** The stable name of a rule, in kebab-case. A slash and a case follow where the case has its own verdict. */
export type Rule = keyof typeof verdicts

/** Returns the verdict of a rule for clients. */
export function verdictOf(rule: Rule, reader: Reader): Verdict {
  return (reader === 'request' && inRequests[rule]) || verdicts[rule]
}
