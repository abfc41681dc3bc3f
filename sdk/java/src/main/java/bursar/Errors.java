package bursar;

import java.util.List;
import java.util.Map;

/** Everything that this package throws. */
public final class Errors {
    private Errors() {}

    public static class BursarError extends RuntimeException {
        BursarError(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** No answer: the connection failed or was cut. With its Idempotency-Key the request may be sent again. */
    public static class ConnectionError extends BursarError {
        ConnectionError(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** No answer in time. */
    public static class TimeoutError extends ConnectionError {
        TimeoutError(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** A webhook that is not from Bursar, was changed on the way, or is too old. */
    public static class SignatureError extends BursarError {
        SignatureError(String message) {
            super(message, null);
        }
    }

    /** One field that has to change: `key` is its dotted path in the request. */
    public static final class FieldProblem {
        public final String key;
        public final String message;

        FieldProblem(String key, String message) {
            this.key = key;
            this.message = message;
        }
    }

    /** What a refusal says. */
    static final class Refusal {
        int httpStatus;
        String code;
        String message;
        String requestId;
        List<FieldProblem> fields;
        Map<String, Object> data;
    }

    /** The API refused the request. */
    public static class ApiError extends BursarError {
        public final int httpStatus;
        /** A code of the error registry, such as HUE00000. */
        public final String code;
        /** Quote it when you ask for help. */
        public final String requestId;
        /** The fields to change. */
        public final List<FieldProblem> fields;
        /** Data that helps, such as the id of the resource in the way. */
        public final Map<String, Object> data;

        ApiError(Refusal refusal) {
            super(refusal.message, null);
            httpStatus = refusal.httpStatus;
            code = refusal.code;
            requestId = refusal.requestId;
            fields = refusal.fields;
            data = refusal.data;
        }
    }

    /** HUE00000: the request has to change; `fields` names what. */
    public static class InvalidRequestError extends ApiError {
        InvalidRequestError(Refusal refusal) {
            super(refusal);
        }
    }

    /** AUE00000: no active API key, or the wrong secret. */
    public static class AuthenticationError extends ApiError {
        AuthenticationError(Refusal refusal) {
            super(refusal);
        }
    }

    /** AUE00001: the API key lacks the scope of the operation. */
    public static class PermissionError extends ApiError {
        PermissionError(Refusal refusal) {
            super(refusal);
        }
    }

    /** HUE00001: no such resource in this institute. */
    public static class NotFoundError extends ApiError {
        NotFoundError(Refusal refusal) {
            super(refusal);
        }
    }

    /** HUE00002: the resource is in a state that does not allow it. */
    public static class ConflictError extends ApiError {
        ConflictError(Refusal refusal) {
            super(refusal);
        }
    }

    /** HUE00003: the address does not serve this method. */
    public static class MethodNotAllowedError extends ApiError {
        MethodNotAllowedError(Refusal refusal) {
            super(refusal);
        }
    }

    /** HUE00004: the body or file is too large. */
    public static class TooLargeError extends ApiError {
        TooLargeError(Refusal refusal) {
            super(refusal);
        }
    }

    /** IDE00000: the Idempotency-Key was used for another request. */
    public static class IdempotencyMismatchError extends ApiError {
        IdempotencyMismatchError(Refusal refusal) {
            super(refusal);
        }
    }

    /** IDE00001: the first request with this Idempotency-Key is still running. */
    public static class IdempotencyInProgressError extends ApiError {
        IdempotencyInProgressError(Refusal refusal) {
            super(refusal);
        }
    }

    /** RLE00000: too many requests for this API key. */
    public static class RateLimitError extends ApiError {
        RateLimitError(Refusal refusal) {
            super(refusal);
        }
    }

    /** SYE00000: a fault of the server. */
    public static class ServerError extends ApiError {
        ServerError(Refusal refusal) {
            super(refusal);
        }
    }

    /** SYE00001: briefly unavailable. */
    public static class UnavailableError extends ServerError {
        UnavailableError(Refusal refusal) {
            super(refusal);
        }
    }

    /** By its code; one that this version does not know is an ApiError, or a ServerError from 500 on. */
    static ApiError of(Refusal refusal) {
        switch (refusal.code) {
            case "HUE00000":
                return new InvalidRequestError(refusal);
            case "AUE00000":
                return new AuthenticationError(refusal);
            case "AUE00001":
                return new PermissionError(refusal);
            case "HUE00001":
                return new NotFoundError(refusal);
            case "HUE00002":
                return new ConflictError(refusal);
            case "HUE00003":
                return new MethodNotAllowedError(refusal);
            case "HUE00004":
                return new TooLargeError(refusal);
            case "IDE00000":
                return new IdempotencyMismatchError(refusal);
            case "IDE00001":
                return new IdempotencyInProgressError(refusal);
            case "RLE00000":
                return new RateLimitError(refusal);
            case "SYE00000":
                return new ServerError(refusal);
            case "SYE00001":
                return new UnavailableError(refusal);
            default:
                return refusal.httpStatus >= 500 ? new ServerError(refusal) : new ApiError(refusal);
        }
    }
}
