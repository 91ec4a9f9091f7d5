export {
  firstArgument,
  isSearch,
  type Operation,
  type OperationName,
  operations,
} from "../../src/service/operations/operations.js";
