import type * as TS from "typescript";

/** TypeScript lists the faults of all overloads and blames the call. */
const NO_OVERLOAD = 2769;

/** Members or values that a message lists. */
const MAX_LISTED = 40;

/** A member that an object must not have, and a text that is not one of several. */
const UNKNOWN_MEMBER = /'([\w$]+)' does not exist in type/;
const WRONG_TEXT = /^Type '"(.*)"' is not assignable to type/;

/**
 * The diagnostic as a user of options needs it: of several overloads the one that was meant, the member that is wrong instead of the
 * call, and the members or values that it may have.
 */
export function explainedDiagnostic(ts: typeof TS, checker: TS.TypeChecker, diagnostic: TS.Diagnostic): TS.Diagnostic {
  const { file, start, code, messageText } = diagnostic;
  if (file === undefined || start === undefined) return diagnostic;
  const message =
    code === NO_OVERLOAD ? meantOverload(messageText) : ts.flattenDiagnosticMessageText(messageText, "\n");
  const name = message && UNKNOWN_MEMBER.exec(message)?.[1];
  const text = message && WRONG_TEXT.exec(message)?.[1];
  if (message === undefined || (name ?? text) === undefined) {
    if (typeof messageText !== "string") return diagnostic;
    // The fault of a value of an object, with the name of its member.
    const isValue = (node: TS.Node) => ts.isPropertyAssignment(node) && node.getStart(file) === start;
    const member = firstNode(ts, file, start, isValue) as TS.PropertyAssignment | undefined;
    const prefix = member === undefined ? "" : `${member.name.getText(file)}: `;
    return { ...diagnostic, messageText: prefix + messageText };
  }
  const isWrong = (node: TS.Node) => {
    if (text !== undefined) return ts.isStringLiteralLike(node) && node.text === text;
    return ts.isIdentifier(node) && node.text === name && ts.isObjectLiteralElementLike(node.parent);
  };
  const wrong = firstNode(ts, file, start, isWrong);
  if (wrong === undefined) return diagnostic;
  const literal = text === undefined ? wrong.parent.parent : wrong;
  const expected = checker.getContextualType(literal as TS.Expression);
  const found = expected === undefined ? [] : [expected];
  const lists =
    text === undefined
      ? found.map((type) => membersOf(checker, type))
      : [...found, ...overloads(ts, checker, wrong)].map(textsOf);
  const allowed = lists.find(({ length }) => length > 0) ?? [];
  const list = allowed.length === 0 || allowed.length > MAX_LISTED ? "" : ` It takes ${allowed.join(", ")}.`;
  const whole = /[.?]$/.test(message) ? message : `${message}.`;
  const at = { start: wrong.getStart(file), length: wrong.getWidth(file) };
  return { ...diagnostic, ...at, messageText: /Did you mean/.test(whole) ? whole : whole + list };
}

/** The fault of the overload that was probably meant: it nearly has the member, or accepts all but a value. */
function meantOverload(message: string | TS.DiagnosticMessageChain): string | undefined {
  const overloads = typeof message === "string" ? [] : (message.next ?? []);
  const faults = overloads.map(({ next = [] }) => next[0]?.messageText ?? "");
  return (
    faults.find((fault) => /Did you mean/.test(fault)) ??
    faults.find((fault) => WRONG_TEXT.test(fault)) ??
    faults.find((fault) => UNKNOWN_MEMBER.test(fault))
  );
}

/** The first node at or after a position, in the statement there. */
function firstNode(ts: typeof TS, file: TS.Node, start: number, is: (node: TS.Node) => boolean): TS.Node | undefined {
  const visit = (node: TS.Node): TS.Node | undefined => {
    if (node.end <= start) return undefined;
    return node.pos >= start - 1 && is(node) ? node : ts.forEachChild(node, visit);
  };
  return visit(file);
}

/** The types that the overloads of a call have for a value of its options. */
function overloads(ts: typeof TS, checker: TS.TypeChecker, value: TS.Node): TS.Type[] {
  const { parent: member } = value;
  if (!ts.isPropertyAssignment(member)) return [];
  const { parent: options } = member;
  const { parent: call } = options;
  if (!ts.isCallExpression(call)) return [];
  const at = call.arguments.indexOf(options);
  const signatures = checker.getTypeAtLocation(call.expression).getCallSignatures();
  return signatures.flatMap(({ parameters }) => {
    const parameter = parameters[at] && checker.getTypeOfSymbolAtLocation(parameters[at], call);
    const found = parameter && checker.getPropertyOfType(checker.getApparentType(parameter), member.name.getText());
    return found === undefined ? [] : [checker.getTypeOfSymbolAtLocation(found, call)];
  });
}

function partsOf(type: TS.Type): readonly TS.Type[] {
  return type.isUnion() ? type.types : [type];
}

function membersOf(checker: TS.TypeChecker, type: TS.Type): string[] {
  const members = partsOf(type).flatMap((each) => checker.getPropertiesOfType(each));
  return [...new Set(members.map(({ name }) => name))];
}

function textsOf(type: TS.Type): string[] {
  return partsOf(type).flatMap((each) => (each.isStringLiteral() ? JSON.stringify(each.value) : []));
}
