package bursar;

import bursar.Errors.ApiError;
import bursar.Errors.BursarError;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The Java client behind the protocol of driver.ts. */
@SuppressWarnings("unchecked")
public final class Driver {
    private static final Bursar BURSAR = new Bursar(
            System.getenv("BURSAR_URL"),
            System.getenv("BURSAR_KEY"),
            System.getenv("BURSAR_SECRET"),
            Duration.ofMillis(Long.parseLong(System.getenv("BURSAR_TIMEOUT_MS"))),
            4);

    public static void main(String[] given) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Map<String, Object> result = new LinkedHashMap<>();
            try {
                result.put("value", plain(answer((Map<String, Object>) Json.parse(line))));
            } catch (BursarError error) {
                result.put("error", describe(error));
            }
            out.println(Json.write(result));
        }
    }

    private static Object answer(Map<String, Object> question) throws Exception {
        if (question.containsKey("verify")) return verify((Map<String, Object>) question.get("verify"));
        List<Object> args = new ArrayList<>((List<Object>) question.get("args"));
        Map<String, Object> file = (Map<String, Object>) question.get("file");
        if (file != null) {
            args.add(((String) file.get("text")).getBytes(StandardCharsets.UTF_8));
            args.add(file.get("contentType"));
        }
        if (question.containsKey("query")) args.add(question.get("query"));
        Map<String, Object> options = (Map<String, Object>) question.getOrDefault("options", Map.of());
        String key = (String) options.get("idempotencyKey");
        Bursar bursar = key == null ? BURSAR : BURSAR.withIdempotencyKey(key);
        for (Method method : Bursar.class.getMethods())
            if (method.getName().equals(question.get("call")) && method.getParameterCount() == args.size())
                return call(bursar, method, args);
        throw new IllegalArgumentException("no such operation: " + question);
    }

    private static Object call(Bursar bursar, Method method, List<Object> args) throws Exception {
        Object[] sent = args.toArray();
        for (int at = 0; at < sent.length; at++) {
            Class<?> type = method.getParameterTypes()[at];
            if (!Body.class.isAssignableFrom(type)) continue;
            Body<?> body = (Body<?>) type.getDeclaredConstructor().newInstance();
            ((Map<String, Object>) sent[at]).forEach(body::set);
            sent[at] = body;
        }
        try {
            return method.invoke(bursar, sent);
        } catch (InvocationTargetException wrapped) {
            throw (Exception) wrapped.getCause();
        }
    }

    private static Object verify(Map<String, Object> asked) {
        byte[] body = ((String) asked.get("body")).getBytes(StandardCharsets.UTF_8);
        Object secret = asked.get("secret");
        List<String> secrets = secret instanceof String ? List.of((String) secret) : (List<String>) secret;
        Long now = (Long) asked.getOrDefault("now", System.currentTimeMillis() / 1000);
        Types.WebhookEvent event = Webhooks.verify(body, (Map<String, String>) (Map<?, ?>) asked.get("headers"), secrets, now);
        // Every code that the catalogue has is known by its type.
        if (event.typed() == event) throw new IllegalStateException(event.event() + " has no type");
        return event;
    }

    private static Object plain(Object value) {
        if (value instanceof View) return ((View) value).json();
        if (value instanceof byte[]) return Base64.getEncoder().encodeToString((byte[]) value);
        if (!(value instanceof Iterable)) return value;
        List<Object> items = new ArrayList<>();
        for (Object item : (Iterable<Object>) value) items.add(plain(item));
        return items;
    }

    private static Map<String, Object> describe(BursarError error) {
        Map<String, Object> known = new LinkedHashMap<>();
        known.put("class", error.getClass().getSimpleName());
        known.put("message", error.getMessage());
        if (error instanceof ApiError) {
            ApiError refusal = (ApiError) error;
            List<Object> fields = new ArrayList<>();
            refusal.fields.forEach(field -> fields.add(Map.of("key", field.key, "message", field.message)));
            known.put("code", refusal.code);
            known.put("fields", fields);
            known.put("request_id", refusal.requestId);
            known.put("http_status", refusal.httpStatus);
        }
        return known;
    }
}
